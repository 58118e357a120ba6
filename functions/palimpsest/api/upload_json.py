"""A place to upload something, as JSON."""

from typing import Any

from palimpsest.domain.instants import to_text
from palimpsest.domain.uploads import Upload


def upload_json(upload: Upload) -> dict[str, Any]:
    """The one request that puts the object there."""
    return {
        "method": upload.method,
        "url": upload.url,
        "headers": dict(upload.headers),
        "expires_at": to_text(upload.expires_at),
    }
