"""Zip archives read within limits: nothing is unpacked before its size is known, and nothing is
ever written; a name inside is only a name.
"""

import posixpath
import zipfile
from pathlib import Path
from typing import IO, Final, Self

from palimpsest.adapters.parsers.limits import Limits
from palimpsest.domain.extraction import Unreadable, UnreadableReason

_MOST_MEMBERS: Final = 50_000
_MOST_TIMES: Final = 300
_HARMLESS: Final = 16 * 1024 * 1024
"""Bytes; what unpacks to no more is no bomb, however small it was packed."""

_SMALL: Final = 32 * 1024 * 1024
_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_PASSWORD: Final = 0x1


class Archive:
    """The members of an archive by their names. Opening it raises `Unreadable` where it would
    unpack to more than the limits allow; archives inside are not opened.
    """

    def __init__(self, source: Path, limits: Limits) -> None:
        self._zip = zipfile.ZipFile(source)
        self._members = {one.filename: one for one in self._zip.infolist() if not one.is_dir()}
        self._folded = {name.casefold(): name for name in self._members}
        if len(self._members) > _MOST_MEMBERS or self._is_bomb(limits.unpacked):
            self._zip.close()
            raise Unreadable(
                UnreadableReason.TOO_LARGE, "It unpacks to far more than a document holds."
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return self._found(name) is not None

    def open(self, name: str) -> IO[bytes]:
        """A member to be read, of which no more comes than it said. Raises `Unreadable`, and
        `KeyError` where there is none.
        """
        member = self._found(name)
        if member is None:
            raise KeyError(name)
        if member.flag_bits & _PASSWORD:
            raise Unreadable(UnreadableReason.ENCRYPTED, "A password is needed to unpack it.")
        if member.compress_type not in _METHODS:
            raise Unreadable(
                UnreadableReason.UNSUPPORTED_TYPE, "It is packed in a way that documents are not."
            )
        return self._zip.open(member)

    def read(self, name: str) -> bytes:
        """A small member, whole. Raises as `open` does."""
        with self.open(name) as file:
            data = file.read(_SMALL + 1)
        if len(data) > _SMALL:
            raise Unreadable(UnreadableReason.TOO_LARGE, "A part of it is far too large.")
        return data

    def _found(self, name: str) -> zipfile.ZipInfo | None:
        """Office takes names in any case."""
        return self._members.get(name) or self._members.get(self._folded.get(name.casefold(), ""))

    def _is_bomb(self, most: int) -> bool:
        if sum(one.file_size for one in self._members.values()) > most:
            return True
        return any(
            one.file_size > max(_HARMLESS, _MOST_TIMES * one.compress_size)
            for one in self._members.values()
        )


def member_beside(part: str, target: str) -> str:
    """The name of the member that a part means by a relative address."""
    path = posixpath.join("/", posixpath.dirname(part), target)
    return posixpath.normpath(path).lstrip("/")
