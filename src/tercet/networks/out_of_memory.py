"""What to do where the memory of a device runs out."""

from __future__ import annotations

#: What errors say for want of memory, those of PyTorch on GPUs and Macs, with cuDNN, on a CPU, on Gaudi, and Python's
#: own by its name where another process tells of it.
_OUT_OF_MEMORY = (
    "out of memory",
    "MemoryError",
    "CUDNN_STATUS_NOT_SUPPORTED",
    "CUBLAS_STATUS_ALLOC_FAILED",
    "DefaultCPUAllocator: can't allocate memory",
    "PT_DEVMEM Allocation failed",
)


def halved(size: int, error: BaseException) -> int:
    """Return half of a batch's size where an error says that memory ran out; raise one for which that is no help."""
    is_of_memory = isinstance(error, MemoryError) or any(text in str(error) for text in _OUT_OF_MEMORY)
    if size == 1 or not is_of_memory:
        raise error
    return size // 2
