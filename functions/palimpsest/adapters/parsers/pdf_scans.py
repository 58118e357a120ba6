"""Whether a PDF has a text at all, or is a pile of images with a mark on each."""

import re
from typing import Any, Final

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

_WORD: Final = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*|\d+")
_WIDE: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_FEW, _SOME = 3, 25
"""Words on a page: with so few it has no text of its own, with some it may have one."""

_MOST_OF_A_PAGE: Final = 0.5
_ENOUGH_PAGES: Final = 5


class Scans:
    """Takes note of every page, and knows at the end whether what was read are only the marks that
    somebody put on scanned pages: the same on each of them, or a few words beside images.
    """

    def __init__(self) -> None:
        self._marks: set[str] = set()
        self._most_words = self._pages = self._marked = self._scanned = self._looked_at = 0

    def note(self, page: Any, text: str) -> None:
        """Take note of a page and its text."""
        words = len(_WORD.findall(text)) + len(_WIDE.findall(text)) // 2
        self._pages += 1
        self._most_words = max(self._most_words, words)
        if self._most_words > _SOME:
            return
        if words:
            self._marked += 1
            self._marks.add(re.sub(r"[\W\d_]+", "", text.casefold()))
        if self._looked_at < _ENOUGH_PAGES:
            self._looked_at += 1
            self._scanned += _is_image(page)

    @property
    def have_no_text(self) -> bool:
        """Whether there is nothing to read but marks."""
        if self._most_words > _SOME:
            return False
        if self._most_words > _FEW:  # a line of print on every page
            return self._repeats and self._scanned == self._looked_at
        is_one_word = self._most_words <= 1 and self._pages == 1
        return is_one_word or self._repeats or self._scanned > 0

    @property
    def _repeats(self) -> bool:
        return self._marked > 1 and len(self._marks) == 1


def _is_image(page: Any) -> bool:
    """Whether images cover most of a page."""
    width, height = page.get_size()
    covered = 0.0
    for image in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE]):
        left, bottom, right, top = image.get_bounds()
        covered += max(0.0, right - left) * max(0.0, top - bottom)
    return bool(covered >= _MOST_OF_A_PAGE * width * height)
