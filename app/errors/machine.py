"""The machine that the work runs on, and its user."""

from app.errors.base import GraphwrightError


class OutOfMemoryError(GraphwrightError):
    """The machine has no memory left for the work."""

    code = "out_of_memory"
    http_status = 507


class FileSystemError(GraphwrightError):
    """The file system refuses a read or a write: a full disk, missing permissions."""

    code = "file_system_failed"
    http_status = 507


class InterruptedWorkError(GraphwrightError):
    """Work that its user stopped."""

    code = "interrupted"
    http_status = 499


class AddressInUseError(GraphwrightError):
    """The port that the server is told to listen on is taken."""

    code = "address_in_use"
