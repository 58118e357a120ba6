"""What the reading of one file may cost."""

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Fit for a function of 1,024 MB whose `/tmp` has 512 MB. Sizes are bytes.

    `memory` is the address space of the process that reads; `seconds` bound both its time by the
    clock and its processor time; `characters` and `blocks` are of the text that comes out, `output`
    of the file that holds it; `unpacked` of everything that is unpacked of one archive.
    """

    input: int = 100 * MIB
    memory: int = 700 * MIB
    seconds: float = 120.0
    characters: int = 64 * MIB
    blocks: int = 4_000_000
    output: int = 384 * MIB
    unpacked: int = 400 * MIB
