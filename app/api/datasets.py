"""`/api/personal-datasets`: upload, list, build, and read graphs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse

from app.api.context import ApiContext, context_of
from app.api.errors import request_invalid
from app.api.upload import receive_file
from app.errors import RequestInvalidError

MAX_BODY_BYTES = 8 * 2**20
_CHUNK = 1 << 18

Context = Annotated[ApiContext, Depends(context_of)]

router = APIRouter(prefix="/api/personal-datasets")


class BuildRequest(BaseModel):
    """The body of a build; an empty body means no options."""

    model_config = ConfigDict(extra="forbid")

    options: dict[str, Any] = Field(default_factory=dict)


@router.post("", status_code=201)
async def upload(request: Request, context: Context) -> JSONResponse:
    """Keep one uploaded source as a new dataset."""
    content_type = request.headers.get("content-type", "")
    dataset = await receive_file(content_type, request.stream(), context.datasets.receive)
    return JSONResponse({"dataset": context.datasets.describe(dataset)}, 201)


@router.get("")
def datasets(context: Context) -> dict[str, Any]:
    """All datasets, oldest first."""
    return {"datasets": context.datasets.datasets()}


@router.get("/{dataset_id}/construction")
def construction(dataset_id: str, context: Context) -> dict[str, Any]:
    """How a dataset's construction stands."""
    return context.datasets.construction(dataset_id)


@router.get("/{dataset_id}/construction/source-preview")
def source_preview(
    dataset_id: str, context: Context, delimiter: Annotated[str | None, Query(max_length=8)] = None, header: bool = True
) -> JSONResponse:
    """The source as it is kept: tables, keys and a few rows, or the beginning of a text."""
    return JSONResponse(context.datasets.source_preview(dataset_id, delimiter, header=header))


@router.post("/{dataset_id}/construction")
@router.post("/{dataset_id}/construction/build")
async def build(dataset_id: str, request: Request, context: Context) -> JSONResponse:
    """Start a build, join the same one, or reuse a ready graph: 202 while it is built, 200 when it is ready."""
    order = _parsed(await _read(request))
    document = await run_in_threadpool(context.datasets.build, dataset_id, order.options)
    return JSONResponse(document, 200 if document["state"] == "ready" else 202)


@router.get("/{dataset_id}/construction/graph")
def graph(dataset_id: str, context: Context) -> StreamingResponse:
    """The graph document and its revision, streamed from disk."""
    file, revision = context.datasets.graph(dataset_id)
    return StreamingResponse(_graph_document(file, revision), media_type="application/json")


def _graph_document(file: Path, revision: int) -> Iterator[bytes]:
    yield f'{{"revision":{revision},"graph":'.encode()
    with file.open("rb") as content:
        while chunk := content.read(_CHUNK):
            yield chunk
    yield b"}"


async def _read(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise RequestInvalidError(f"The body is larger than {MAX_BODY_BYTES:,} bytes.")
    return bytes(body)


def _parsed(body: bytes) -> BuildRequest:
    try:
        return BuildRequest.model_validate_json(body) if body.strip() else BuildRequest()
    except ValidationError as error:
        raise request_invalid(dict(error.errors(include_url=False, include_input=False)[0])) from error
