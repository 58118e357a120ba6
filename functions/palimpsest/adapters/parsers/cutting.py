"""Where a text that is too long for one piece may be cut."""

from palimpsest.domain.whole_characters import whole_end


def good_end(text: str, longest: int) -> int:
    """The end of the first piece, of at most `longest` characters (the text has more): after a
    line, else after a word, each only where the piece is not too short for it, else after a
    character as a reader sees it.
    """
    for mark in ("\n", " "):
        place = text.rfind(mark, longest // 2, longest)
        if place > 0:
            return place + 1
    return whole_end(text, longest)
