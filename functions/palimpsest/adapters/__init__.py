"""One vendor a file or folder: the only place where a vendor is imported."""
