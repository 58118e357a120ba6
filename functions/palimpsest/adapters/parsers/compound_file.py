"""Files of the older Office formats, and of the newer ones under a password: both come in the same
container, and neither is read.
"""

import mmap
from pathlib import Path
from typing import Final, NoReturn

from palimpsest.domain.extraction import Unreadable, UnreadableReason

_ENCRYPTED: Final = "EncryptedPackage"
_STREAMS: Final = {
    "WordDocument": "an older Word document; save it as .docx",
    "PowerPoint Document": "an older PowerPoint presentation; save it as .pptx",
    "Workbook": "an older Excel workbook; save it as .xlsx",
    "Book": "an older Excel workbook; save it as .xlsx",
    "__properties_version1.0": "an Outlook message; save it as .eml",
}


def refuse_compound_file(source: Path) -> NoReturn:
    """Raises `Unreadable`, which says what to do instead, by the names of the streams inside."""
    with (
        source.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
    ):
        if _holds(content, _ENCRYPTED):
            raise Unreadable(
                UnreadableReason.ENCRYPTED, "A password is needed to open it; save it without one."
            )
        what = next((what for name, what in _STREAMS.items() if _holds(content, name)), None)
    raise Unreadable(
        UnreadableReason.UNSUPPORTED_TYPE,
        f"It is {what or 'an older Office document; save it in the new format'}.",
    )


def _holds(content: mmap.mmap, name: str) -> bool:
    """Whether the directory names a stream, which it does in UTF-16, with a NUL at its end."""
    return content.find((name + "\0").encode("utf-16-le")) >= 0
