"""The HTTP application: routes, guards and what happens at start-up."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from app.api import datasets, skeleton
from app.api.context import ApiContext
from app.api.errors import FaultGuard, install_error_handlers
from app.api.origin import OriginGuard


def create_app(context: ApiContext, *, host: str) -> FastAPI:
    """The application for a server that listens on `host`."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await asyncio.to_thread(context.datasets.recover)
        await skeleton.load_skeleton(app, context)
        yield
        await asyncio.to_thread(context.datasets.close)

    app = FastAPI(title="Graphwright", lifespan=lifespan, docs_url=None, redoc_url=None)
    app.state.context = context
    app.include_router(datasets.router)
    app.include_router(skeleton.router)
    install_error_handlers(app)
    app.add_middleware(OriginGuard, host=host)
    app.add_middleware(FaultGuard, log=context.log)
    return app
