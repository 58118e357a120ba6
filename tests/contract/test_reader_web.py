"""Web pages and mail: the text that is meant, without what is around it."""

import pytest

from document_files import EMAIL, HTML, read_here
from document_files_office import archive


def test_a_page_is_read_without_its_furniture() -> None:
    read = read_here(HTML.encode(), "a.html")
    assert read.shape == [
        ("heading", 1, "The lighthouse"),
        ("paragraph", 0, "It stands on the northern cape."),
        ("list_item", 0, "Ada"),
        ("list_item", 1, "her son"),
        ("code", 0, 'lamp = "on"\n  off'),
        ("table_row", 0, "name | born"),
        ("table_row", 0, "Ada | 1815"),
    ]
    assert read.extraction.title == "The lighthouse"


@pytest.mark.parametrize(
    "page",
    [
        "<p>kept<div class='ad-banner'>lost</div>",
        "<p>kept<div role=navigation>lost</div>",
        "<p>kept<p hidden>lost</p>",
        "<p>kept<div style='display: none'>lost</div>",
        "<p>kept<aside>lost</aside>",
        "<p>kept<footer>lost</footer>",
        "<p>kept<script>lost</script><style>lost</style><template><p>lost</template>",
        "<p>kept<button>lost</button><select><option>lost</select><svg><text>lost</text></svg>",
        "<p>kept<!-- lost --><iframe>lost</iframe><noscript>lost</noscript>",
    ],
)
def test_what_is_not_of_the_text_is_left_out(page: str) -> None:
    assert read_here(page.encode(), "a.html").text == "kept\n"


@pytest.mark.parametrize(
    "page",
    [
        "<header><h1>kept</h1></header>",
        "<article><p>kept</p><footer>by me</footer></article>",
        "<div class='sidebar'><main>kept</main></div>",
        "<form><p>kept</p></form>",
        "<nav><p>kept</p></nav>",  # nothing else is there
        "<p class='loads menu-card'>kept",
        "kept",
        "<details><summary>kept</summary></details>",
    ],
)
def test_what_is_of_the_text_stays(page: str) -> None:
    assert read_here(page.encode(), "a.html").text.startswith("kept")


def test_unclosed_and_misplaced_tags_do_no_harm() -> None:
    page = "<p>one<p>two<ul><li>a<li>b</ul><table><td>x<td>y<tr><td>z</table></div></b>end<br>line"
    read = read_here(page.encode(), "a.html")
    assert read.text == "one\n\ntwo\n\na\nb\n\nx | y\n\nz\n\nend\nline\n"


def test_a_table_that_lays_out_a_page_is_no_table() -> None:
    page = "<table><tr><td><h1>Title</h1><p>text</td><td>side</td></tr></table>"
    assert [kind for kind, *_ in read_here(page.encode(), "a.html").shape] == [
        "heading",
        "paragraph",
        "paragraph",
    ]


@pytest.mark.parametrize(
    ("codec", "head"),
    [
        ("cp1251", '<meta charset="windows-1251">'),
        ("iso8859_2", '<meta http-equiv=Content-Type content="text/html; charset=ISO-8859-2">'),
        ("cp932", "<meta charset=Shift_JIS>"),
        ("utf-8", '<meta charset="iso-8859-1">'),  # what it is comes before what it says
        ("utf-16", ""),
    ],
)
def test_g7_a_page_may_declare_its_encoding(codec: str, head: str) -> None:
    words = {"cp1251": "Ещё", "iso8859_2": "żółw", "cp932": "名前"}.get(codec, "größer")
    page = f"<html><head>{head}</head><p>{words}</p></html>".encode(codec)
    assert read_here(page, "a.html").text == f"{words}\n"


def test_g8_a_nul_in_a_page_is_removed_and_counted() -> None:
    read = read_here(b"<p>one\x00two</p>", "a.html")
    assert (read.text, read.extraction.removed) == ("onetwo\n", 1)


def test_mail_begins_with_its_headers_and_names_what_is_attached() -> None:
    read = read_here(EMAIL.encode(), "a.eml")
    assert read.text == (
        "From: Jürgen <j@example.org>\nTo: ada@example.org\nSubject: Grüße from the cape\n"
        "Date: Mon, 1 Jan 2024 10:00:00 +0000\n\nThe lamp burns über all.\n\nCome soon.\n\n"
        "Attachment: plan.pdf\n"
    )
    assert read.extraction.title == "Grüße from the cape"
    assert "secret" not in read.text


def test_mail_in_html_alone_is_read_as_a_page() -> None:
    mail = "Subject: x\nContent-Type: text/html; charset=iso-8859-1\n\n<h1>Gr\xfc\xdfe</h1><p>text"
    read = read_here(mail.encode("latin-1"), "a.eml")
    assert read.shape[1:] == [("heading", 1, "Grüße"), ("paragraph", 0, "text")]


def test_an_empty_plain_form_gives_way_to_the_other() -> None:
    mail = (
        "Subject: x\nContent-Type: multipart/alternative; boundary=b\n\n--b\n"
        "Content-Type: text/plain\n\n \n--b\nContent-Type: text/html\n\n<p>page\n--b--\n"
    )
    assert read_here(mail.encode(), "a.eml").text == "Subject: x\n\npage\n"


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("Subject: =?utf-8?b?5pel5pys?=", "日本"),
        ("Subject: =?no-such-charset?q?abc?=", "abc"),
        ("Subject: broken =?utf-8?b?!!!?=", "broken"),
        ("Subject: Größe", "Größe"),
        ("Subject: folded\n over lines", "folded over lines"),
    ],
)
def test_broken_and_encoded_headers_are_read(header: str, expected: str) -> None:
    title = read_here(f"{header}\n\nbody\n".encode(), "a.eml").extraction.title
    assert title is not None
    assert expected in title


def test_forwarded_mail_and_named_parts_are_named() -> None:
    mail = (
        "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n"
        "Content-Type: message/rfc822\n\nSubject: the inner one\n\nhidden\n--b\n"
        "Content-Type: text/plain; name=notes.txt\nContent-Disposition: attachment\n\nhidden\n"
        "--b--\n"
    )
    read = read_here(mail.encode(), "a.eml")
    assert read.text == "Subject: x\n\nAttachment: the inner one\n\nAttachment: notes.txt\n"


def test_what_is_no_mail_is_plain_text() -> None:
    assert read_here(b"Only words.\n\nMore.\n", "a.eml").text == "Only words.\n\nMore.\n"


def test_an_archive_in_a_mail_is_not_opened() -> None:
    inner = archive({"a.txt": "hidden"}).hex()
    mail = f"Subject: x\nContent-Type: application/zip; name=a.zip\n\n{inner}\n"
    assert read_here(mail.encode(), "a.eml").text == "Subject: x\n\nAttachment: a.zip\n"
