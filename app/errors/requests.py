"""What a caller asks for that cannot be had: options, command lines, requests and uploads."""

from app.errors.base import GraphwrightError


class InvalidOptionError(GraphwrightError):
    """A construction option is unknown, of the wrong type, or out of its range."""

    code = "invalid_option"
    http_status = 422


class NotAvailableError(GraphwrightError):
    """A feature that this version does not have."""

    code = "not_available"
    http_status = 501


class NotFoundError(GraphwrightError):
    """A dataset, a graph or an output directory that does not exist."""

    code = "not_found"
    http_status = 404


class UsageError(GraphwrightError):
    """A command line that does not parse."""

    code = "usage_invalid"
    http_status = 422


class RequestInvalidError(GraphwrightError):
    """A request body or parameter that is not what the route takes."""

    code = "request_invalid"
    http_status = 422


class RequestRefusedError(GraphwrightError):
    """A request whose Host or Origin is not this server's own."""

    code = "request_refused"
    http_status = 403


class UploadInvalidError(GraphwrightError):
    """An upload that is not a multipart form with a file in it, or several files without a csv_schema."""

    code = "upload_invalid"
    http_status = 422


class UploadTooLargeError(GraphwrightError):
    """An upload over the server's limit; nothing of it is kept."""

    code = "upload_too_large"
    http_status = 413
