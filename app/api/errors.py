"""Errors as JSON: `{"error": {"code", "message", "hint", "where"}}` with the status that the error class states."""

from pathlib import Path

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import GraphwrightError, NotFoundError, RequestInvalidError
from app.service.failures import as_graphwright_error

RETRY_SECONDS = 5


def error_response(error: GraphwrightError, status: int | None = None) -> JSONResponse:
    """The response for an error."""
    headers = {"Retry-After": str(RETRY_SECONDS)} if error.http_status == 429 else None
    return JSONResponse({"error": error.to_dict()}, status or error.http_status, headers)


def install_error_handlers(app: FastAPI) -> None:
    """Turn the errors of routes and of the framework into responses."""

    @app.exception_handler(GraphwrightError)
    async def known(_request: Request, error: GraphwrightError) -> JSONResponse:
        return error_response(error)

    @app.exception_handler(RequestValidationError)
    async def invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
        return error_response(request_invalid(error.errors()[0]))

    @app.exception_handler(HTTPException)
    async def framework(request: Request, error: HTTPException) -> JSONResponse:
        if error.status_code == 404:
            return error_response(NotFoundError(f"There is no {request.url.path}."))
        return error_response(RequestInvalidError(str(error.detail)), error.status_code)


def request_invalid(detail: dict[str, object]) -> RequestInvalidError:
    """The error for one of pydantic's findings about a request."""
    location = detail.get("loc")
    where = ".".join(str(part) for part in location) if isinstance(location, tuple) else None
    return RequestInvalidError(f"The request is not valid: {detail['msg']}.", field=where)


class FaultGuard:
    """Answers what no handler covers with a clean 500 or 507, and logs it; nothing of it reaches the user."""

    def __init__(self, app: ASGIApp, log: Path) -> None:
        self._app, self._log = app, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as error:
            if scope["type"] != "http" or started:
                raise
            await error_response(as_graphwright_error(error, self._log))(scope, receive, send)
