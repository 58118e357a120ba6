"""One use case a file; dependencies are ports, handed in by `bootstrap`."""
