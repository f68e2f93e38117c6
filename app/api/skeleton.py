"""`/api/skeleton`: the map of the configured graph, loaded or built once at start-up."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI
from starlette.requests import Request

from app.api.context import ApiContext, context_of
from app.errors import GraphwrightError
from app.service.failures import as_graphwright_error

router = APIRouter(prefix="/api")


@router.get("/skeleton")
def skeleton(request: Request, context: Annotated[ApiContext, Depends(context_of)]) -> dict[str, Any]:
    """The skeleton; empty, with the error that says why, if there is none."""
    error: GraphwrightError | None = request.app.state.skeleton_error
    document: dict[str, Any] = {"graph": context.graph, "skeleton": request.app.state.skeleton}
    return document if error is None else {**document, "error": error.to_dict()}


async def load_skeleton(app: FastAPI, context: ApiContext) -> None:
    """Put the skeleton on `app.state.skeleton`; it stays empty if it can't be had, and the server starts anyway."""
    app.state.skeleton, app.state.skeleton_error = "", None
    try:
        app.state.skeleton = await asyncio.to_thread(context.load_skeleton)
    except Exception as error:
        app.state.skeleton_error = as_graphwright_error(error, context.log)
