"""The words of RTF (version 1.9.1 of its specification) that matter for its text."""

import re
from typing import Final

TOKEN: Final = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])"
    rb"|([{}])|([^\\{}\r\n]+)|[\r\n]+"
)

ENDS_PARAGRAPH: Final = frozenset({"par", "sect", "page"})
CHARACTERS: Final = {
    "line": "\n",
    "tab": "\t",
    "emdash": "—",
    "endash": "–",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "bullet": "•",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
}
SYMBOLS: Final = {"~": "\xa0", "_": "-", "-": "", "{": "{", "}": "}", "\\": "\\"}

_LEFT_OUT_LISTED: Final = """
annotation atnauthor atndate atnicn atnid atnparent atnref atntime atrfend atrfstart bkmkend
bkmkstart blipuid colorschememapping colortbl datafield datastore defchp defpap falt filetbl
fldinst fontemb footer footerf footerl footerr ftncn ftnsep ftnsepc aftncn aftnsep aftnsepc
generator header headerf headerl headerr latentstyles listname listoverridetable listpicture
listtable listtext lsdlockedexcept mmathPr nesttableprops nonesttables nonshppict objalias
objclass objdata objname objsect objtime oleclsid panose passwordhash pgptbl pict pn pnseclvl
pntext pntxta pntxtb private revtbl rsidtbl rxe sp stylename tc template themedata txe userprops
wgrffmtfilter xe xmlnstbl
"""
LEFT_OUT: Final = frozenset(_LEFT_OUT_LISTED.split())
"""Destinations that hold no text of the document, or the same again on each page."""

KEPT_WITH_STAR: Final = frozenset({"shpinst", "shptxt", "fldrslt", "dptxbxtext"})
"""Of the destinations that old readers leave out, those that hold text."""

CODEC_OF_CHARSET: Final = {
    0: "cp1252",
    77: "mac_roman",
    78: "shift_jis",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp850",
}
CODEC_OF_PAGE: Final = {
    **{page: f"cp{page}" for page in (437, 850, 852, 866, 874, 932, 949, 950, *range(1250, 1259))},
    708: "iso8859_6",
    936: "gb18030",
    1361: "johab",
    10000: "mac_roman",
    65001: "utf-8",
}
"""A page that is not known here is taken for Western European."""
