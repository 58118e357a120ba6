"""The rules of the field: standard library only (and a stemmer in `analysis.py`)."""
