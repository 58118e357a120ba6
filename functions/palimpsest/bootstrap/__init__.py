"""The composition root: which adapter stands behind which port, by the settings. Each function has
a module that builds its services; no other module names an adapter.
"""

import os
from collections.abc import Callable


def prime(services: Callable[[], object]) -> None:
    """Build a function's services while Lambda initialises it; elsewhere an import does nothing."""
    if os.environ.get("AWS_LAMBDA_FUNCTION_NAME"):
        services()
