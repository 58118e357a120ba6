"""The HTTP contract of a call: the arguments as the model gave them, and where they apply."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from palimpsest.api.fields import Namespace


class CallBody(BaseModel):
    """A call of a tool. `arguments` is an object, or the JSON text of one; null means: none."""

    model_config = ConfigDict(strict=True, extra="forbid")
    arguments: dict[str, Any] | str | None = None
    namespace: Namespace | None = None
