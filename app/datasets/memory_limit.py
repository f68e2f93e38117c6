"""A bound for the memory of this process, so that what a stranger's file makes it want ends the work and no more."""

import resource
from pathlib import Path


def limit_memory(more_bytes: int) -> None:
    """Let this process reserve this many bytes more than now; asking for more raises `MemoryError`.

    Address space is counted, of which threads and allocators reserve more than they use.
    """
    held = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + more_bytes, held + more_bytes))
