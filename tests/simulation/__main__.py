"""Run seeds, or one seed again.

    python -m simulation --seed N [--shrink] [--scenario mixed]
    python -m simulation --seeds A..B [--seconds S]

`PYTHONPATH=functions:tests`. The same seed gives the same run on the same code: hashes of strings
are fixed by starting again under `PYTHONHASHSEED=0`.
"""

import os
import sys

if os.environ.get("PYTHONHASHSEED") != "0":
    os.environ["PYTHONHASHSEED"] = "0"
    os.execv(sys.executable, [sys.executable, "-m", "simulation", *sys.argv[1:]])  # noqa: S606

from simulation.command import main

sys.exit(main(sys.argv[1:]))
