"""Ingesting: documents are brought in line with the objects they come from."""
