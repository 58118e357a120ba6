"""Whether a built model measures known pairs of texts as it should."""

from pathlib import Path

import numpy as np

from models.catalogue import Recipe
from models.fetching import CannotBuild
from palimpsest.adapters.onnx import OnnxEmbedder


def check(recipe: Recipe, folder: Path) -> None:
    """Raises `CannotBuild` if a cosine is further from the known one than int8 explains."""
    model = OnnxEmbedder(folder)
    for pair in recipe.likenesses:
        first, second = (
            np.array(model.encode(text, prefix="").vector) for text in (pair.first, pair.second)
        )
        found = float(first @ second)
        if abs(found - pair.cosine) > recipe.tolerance:
            raise CannotBuild(
                f"{recipe.name}: the cosine of {pair.first!r} and {pair.second!r} is {found:.4f}, "
                f"it should be {pair.cosine:.4f}: this onnxruntime computes something else; "
                f"try the version in requirements/local.txt"
            )
