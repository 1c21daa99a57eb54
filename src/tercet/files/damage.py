"""What reading a damaged file raises: of an archive, of compressed bytes, of JSON."""

from __future__ import annotations

import struct
import zipfile
import zlib

#: Of RuntimeErrors, nesting too deep is one.
DAMAGED = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, TypeError, ValueError,
)  # fmt: skip
