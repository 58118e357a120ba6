"""Lines of an object that is read piece by piece."""

from collections.abc import Iterable, Iterator

from palimpsest.domain.errors import InvalidRequest

LONGEST_LINE = 2 * 1024 * 1024
"""Bytes, without the line end."""


def lines_of(pieces: Iterable[bytes]) -> Iterator[bytes]:
    r"""The lines of what the pieces are together, each without its end (`\n` or `\r\n`), the last
    one also where it has none. Holds one piece and one line at most. Raises `InvalidRequest` at a
    line longer than `LONGEST_LINE`, naming its number from 1.
    """
    number, begun = 1, bytearray()
    for piece in pieces:
        first, *others = piece.split(b"\n")
        begun += first
        for other in others:
            yield _ended(bytes(begun), number)
            number, begun = number + 1, bytearray(other)
        if len(begun) > LONGEST_LINE + 1:  # its last byte may yet belong to its end
            raise _too_long(number)
    if begun:
        yield _ended(bytes(begun), number)


def _ended(line: bytes, number: int) -> bytes:
    line = line.removesuffix(b"\r")
    if len(line) > LONGEST_LINE:
        raise _too_long(number)
    return line


def _too_long(number: int) -> InvalidRequest:
    return InvalidRequest.one(
        "line", number, msg=f"a line has {LONGEST_LINE:,} bytes at most", kind="too_long"
    )
