"""The reader of files against its contract: whatever a file holds or does to its parser, there is a
text or a reason, and this process goes on as before.
"""

import ast
import gc
import io
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from textwrap import dedent, indent

import pytest

from document_files import MARKDOWN, SAMPLES, sample_pdf
from palimpsest.adapters import parsers
from palimpsest.adapters.parsers import child
from palimpsest.adapters.parsers.confinement import refuse
from palimpsest.adapters.parsers.limits import Limits
from palimpsest.adapters.parsers.reader import SandboxedReader
from palimpsest.adapters.parsers.refusals import reason_of, reason_of_end
from palimpsest.domain.errors import Unavailable
from palimpsest.domain.extraction import Block, FileName, Unreadable, UnreadableReason
from palimpsest.ports.extracting import DocumentReader, ReadDocument

MIB = 1024 * 1024
OPEN_FILES = Path("/proc/self/fd")


@pytest.fixture
def reader() -> DocumentReader:
    return SandboxedReader()


@pytest.fixture
def parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Puts code of one's own in the place of a parser: what a file does to one that it takes over.
    Gives a file that is read with it.
    """

    def parser(code: str) -> Path:
        folder = tmp_path / "taken-over"
        folder.mkdir()
        body = indent(dedent(code), "    ")
        (folder / "ijson.py").write_text(
            f"JSONError = ValueError\n\ndef basic_parse(file, **_):\n{body}\n", encoding="utf-8"
        )
        monkeypatch.syspath_prepend(folder)
        source = tmp_path / "a.json"
        source.write_bytes(b'{"name": "Ada"}')
        return source

    return parser


def file_of(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def blocks_of(reader: DocumentReader, source: Path) -> list[Block]:
    with closing(reader.read(source, FileName(source.name))) as document:
        return list(document.blocks())


def reason_for(reader: DocumentReader, source: Path) -> UnreadableReason:
    with pytest.raises(Unreadable) as caught:
        reader.read(source, FileName(source.name))
    assert caught.value.detail.endswith(".")
    return caught.value.reason


@pytest.mark.parametrize("name", [*SAMPLES, "a.pdf"])
def test_a_file_of_every_format_is_read(reader: DocumentReader, tmp_path: Path, name: str) -> None:
    data = sample_pdf() if name == "a.pdf" else SAMPLES[name]()
    blocks = blocks_of(reader, file_of(tmp_path, name, data))
    assert any(not block.text.isspace() for block in blocks)


def test_the_blocks_of_a_text_are_the_text(reader: DocumentReader, tmp_path: Path) -> None:
    source = file_of(tmp_path, "a.md", MARKDOWN.replace("\n", "\r\n").encode("utf-8-sig"))
    assert "".join(block.text for block in blocks_of(reader, source)) == MARKDOWN


def test_blocks_can_be_walked_again_and_side_by_side(
    reader: DocumentReader, tmp_path: Path
) -> None:
    source = file_of(tmp_path, "a.md", MARKDOWN.encode())
    document: ReadDocument = reader.read(source, FileName("a.md"))
    with closing(document):
        first, second = document.blocks(), document.blocks()
        pairs = list(zip(first, second, strict=True))
        assert all(one == other for one, other in pairs)
        assert len(pairs) == len(list(document.blocks())) > 10
        assert document.extraction.title == "The lighthouse"
    with pytest.raises(ValueError, match="closed"):
        next(document.blocks())


def test_many_files_are_read_at_once(reader: DocumentReader, tmp_path: Path) -> None:
    sources = [file_of(tmp_path, f"{n}.txt", f"Text {n}.".encode()) for n in range(8)]
    with ThreadPoolExecutor(4) as pool:
        read = list(pool.map(lambda source: blocks_of(reader, source)[0].text, sources))
    assert read == [f"Text {n}." for n in range(8)]


def test_g5_zero_bytes_and_white_space_are_no_text(reader: DocumentReader, tmp_path: Path) -> None:
    assert reason_for(reader, file_of(tmp_path, "a.txt", b"")) == "no_text"
    assert reason_for(reader, file_of(tmp_path, "b.txt", b" \n\t\r\n \x00")) == "no_text"
    assert reason_for(reader, file_of(tmp_path, "a.html", b"<html><p> </p></html>")) == "no_text"


def test_a_file_larger_than_the_limit_is_not_looked_at(tmp_path: Path) -> None:
    reader = SandboxedReader(Limits(input=10))
    assert reason_for(reader, file_of(tmp_path, "a.txt", b"x" * 11)) == "too_large"
    assert blocks_of(reader, file_of(tmp_path, "b.txt", b"x" * 10))[0].text == "x" * 10


@pytest.mark.parametrize(
    "limits", [Limits(characters=5000), Limits(blocks=50), Limits(output=5000)]
)
def test_more_text_than_the_limit_is_too_large(tmp_path: Path, limits: Limits) -> None:
    source = file_of(tmp_path, "a.txt", b"One paragraph.\n\n" * 1000)
    assert reason_for(SandboxedReader(limits), source) == "too_large"


def test_a_long_text_is_streamed_in_little_memory(tmp_path: Path) -> None:
    source = file_of(tmp_path, "a.txt", b"Some words of a line that is long enough.\n" * 250_000)
    reader = SandboxedReader(Limits(memory=64 * MIB))
    with closing(reader.read(source, FileName("a.txt"))) as document:
        sizes = [len(block.text) for block in document.blocks()]
    assert sum(sizes) == source.stat().st_size
    assert max(sizes) <= 32 * 1024


def test_a_parser_that_runs_out_of_memory_says_too_large(
    parser: Callable[[str], Path],
) -> None:
    source = parser("return [bytearray(50 * 2**20) for _ in range(100)]")
    assert reason_for(SandboxedReader(Limits(memory=200 * MIB)), source) == "too_large"


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.abort()",
        "import ctypes; ctypes.string_at(0)",
        "import os; os._exit(3)",
        "raise SystemExit",
        "raise KeyError('secret content')",
        "return [1]",
    ],
)
def test_a_parser_that_crashes_says_corrupt(
    reader: DocumentReader, parser: Callable[[str], Path], code: str
) -> None:
    source = parser(code)
    with pytest.raises(Unreadable) as caught:
        reader.read(source, FileName("a.json"))
    assert caught.value.reason == "corrupt"
    assert "secret" not in caught.value.detail


def test_endless_recursion_says_corrupt(
    reader: DocumentReader, parser: Callable[[str], Path]
) -> None:
    assert reason_for(reader, parser("again = lambda: again()\nagain()")) == "corrupt"


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "import time; time.sleep(60)",
        """
        import os, signal, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.closerange(3, 64)
        time.sleep(60)
        """,
    ],
)
def test_a_parser_that_does_not_end_is_ended(parser: Callable[[str], Path], code: str) -> None:
    begun = time.monotonic()
    reason = reason_for(SandboxedReader(Limits(seconds=0.6)), parser(code))
    assert time.monotonic() - begun < 5
    # who closes everything looks like one that the system ended
    assert reason == ("too_large" if "closerange" in code else "timeout")


def test_processor_time_is_limited_too(parser: Callable[[str], Path]) -> None:
    source = parser(
        """
        import resource
        soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
        raise KeyError if (soft, hard) != (7, 12) else MemoryError
        """
    )
    assert reason_for(SandboxedReader(Limits(seconds=6.5)), source) == "too_large"


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9')",
        "import subprocess; subprocess.run(['true'])",
        "import os; os.fork()",
        "import os; os.system('true')",
        "import os; os.execv('/bin/true', ['true'])",
        "open('/tmp/palimpsest-escaped', 'w')",
        "import os; os.open('/tmp/palimpsest-escaped', os.O_CREAT | os.O_WRONLY)",
        "import os; os.unlink('/tmp')",
        "import os; os.mkdir('/tmp/palimpsest-escaped')",
        "import shutil; shutil.copyfile('/etc/hostname', '/tmp/palimpsest-escaped')",
    ],
)
def test_a_parser_gets_no_network_no_process_and_no_file(
    reader: DocumentReader, parser: Callable[[str], Path], code: str
) -> None:
    lines = indent(code.replace("; ", "\n"), "    ")
    attempt = f"try:\n{lines}\nexcept PermissionError:\n    raise MemoryError from None"
    assert reason_for(reader, parser(attempt)) == "too_large"  # the sign that it was forbidden
    assert not Path("/tmp/palimpsest-escaped").exists()  # noqa: S108  # the parser's choice


def test_a_parser_sees_no_credentials_and_no_setting(
    reader: DocumentReader, parser: Callable[[str], Path]
) -> None:
    source = parser(
        """
        import os
        left = set(os.environ) - {"PATH", "LD_LIBRARY_PATH", "TZ", "LC_CTYPE"}
        raise KeyError if left else MemoryError
        """
    )
    assert os.environ["AWS_SECRET_ACCESS_KEY"]
    assert reason_for(reader, source) == "too_large"


def test_what_a_parser_prints_goes_nowhere(
    reader: DocumentReader, parser: Callable[[str], Path], capfd: pytest.CaptureFixture[str]
) -> None:
    source = parser(
        """
        import os, sys
        print("on paper", file=sys.stderr, flush=True)
        os.write(1, b"on paper")
        return []
        """
    )
    assert reason_for(reader, source) == "no_text"
    assert capfd.readouterr() == ("", "")


def test_a_missing_parser_is_no_fault_of_the_file(
    reader: DocumentReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = file_of(tmp_path, "a.json", b"{}")
    (tmp_path / "ijson.py").write_text("import parser_that_is_not_installed", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(Unavailable, match="parser_that_is_not_installed"):
        reader.read(source, FileName("a.json"))


def test_a_process_that_does_not_start_is_no_fault_of_the_file(
    reader: DocumentReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = file_of(tmp_path, "a.txt", b"text")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", "/nowhere/python")
        with pytest.raises(Unavailable, match="cannot be started"):
            reader.read(source, FileName("a.txt"))
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(Unavailable, match="did not start"):
        reader.read(source, FileName("a.txt"))


def own_children() -> set[str]:
    """The processes that this one has started, also those that nobody has waited for."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(FileNotFoundError, ProcessLookupError):
            parent = stat.read_text(encoding="utf-8").rpartition(")")[2].split()[1]
            if parent == str(os.getpid()):
                found.add(stat.parent.name)
    return found


@pytest.fixture
def open_files() -> Iterator[None]:
    """Nothing that was opened during a test is left open, and no process is left behind."""
    gc.collect()
    files, children = {path.name for path in OPEN_FILES.iterdir()}, own_children()
    yield
    gc.collect()
    assert {path.name for path in OPEN_FILES.iterdir()} == files
    assert own_children() == children


@pytest.mark.skipif(not OPEN_FILES.exists(), reason="it is counted in /proc")
@pytest.mark.usefixtures("open_files")
def test_nothing_is_left_behind(tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    reader = SandboxedReader(Limits(seconds=0.5), folder=folder)
    assert blocks_of(reader, file_of(tmp_path, "a.txt", b"text"))
    assert (
        reason_for(reader, file_of(tmp_path, "a.png", b"\x89PNG\r\n\x1a\n")) == "unsupported_type"
    )
    assert not list(folder.iterdir())


@pytest.mark.parametrize(
    ("returncode", "peak", "expected"),
    [
        (-9, 0, "too_large"),
        (-24, 0, "timeout"),
        (-14, 0, "timeout"),
        (-11, 0, "corrupt"),
        (-11, 90, "too_large"),
        (-6, 10, "corrupt"),
        (1, 10, "corrupt"),
    ],
)
def test_how_a_process_ended_says_why(returncode: int, peak: int, expected: str) -> None:
    assert reason_of_end(returncode, peak=peak, memory=100, seconds=1).reason == expected


def test_a_full_disk_is_too_large_and_other_errors_are_corrupt() -> None:
    assert reason_of(OSError(28, "No space left on device")).reason == "too_large"
    assert reason_of(OSError(27, "File too large")).reason == "too_large"
    assert reason_of(OSError(5, "Input/output error")).reason == "corrupt"


def test_the_hook_lets_reading_pass() -> None:
    refuse("open", ("a", "rb", os.O_RDONLY))
    refuse("open", ("a", None, os.O_RDONLY | os.O_CLOEXEC))
    refuse("import", ("socket",))
    with pytest.raises(PermissionError):
        refuse("open", ("a", "r+", 0))
    with pytest.raises(PermissionError):
        refuse("socket.__new__", ())


def test_parsers_are_loaded_only_where_they_are_needed(tmp_path: Path) -> None:
    """The process of the service never loads one."""
    source = file_of(tmp_path, "a.html", b"<p>text</p>")
    program = f"""
import sys
sys.path[:] = {sys.path!r}
from pathlib import Path
from palimpsest.adapters.parsers.reader import SandboxedReader
from palimpsest.domain.extraction import FileName
document = SandboxedReader().read(Path({str(source)!r}), FileName("a.html"))
print([block.text for block in document.blocks()])
document.close()
print([name for name in ("selectolax", "pypdfium2", "ijson", "ctypes") if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["['text\\n']", "[]"]


def test_adapters_for_files_import_only_their_vendors_the_ports_and_the_domain() -> None:
    allowed = {"pypdfium2", "selectolax", "ijson", *sys.stdlib_module_names}
    for path in Path(parsers.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [one.name for one in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                own = name.startswith(
                    ("palimpsest.adapters.parsers", "palimpsest.domain", "palimpsest.ports")
                )
                assert own or name.partition(".")[0] in allowed, f"{path.name} imports {name}"


def test_a_missing_part_of_this_program_is_told_as_such(tmp_path: Path) -> None:
    source = file_of(tmp_path, "a.json", b"{}")
    said = FileName("a.json")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "palimpsest.adapters.parsers.json_values", None)
        answer = child._answer(io.BytesIO(), source, said, Limits())
    assert "missing" in answer
    assert child._answer(io.BytesIO(), source, said, Limits())["reason"] == "no_text"
    source.write_bytes(b'{"a": 1}')
    assert child._answer(io.BytesIO(), source, said, Limits()) == {"title": None, "removed": 0}
