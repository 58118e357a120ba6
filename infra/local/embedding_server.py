"""Serves a built embedding model on the loopback, in the shape of OpenAI's embeddings API.

`python infra/local/embedding_server.py --model-dir .cache/models/multilingual-e5-small --port 8089`

`POST /v1/embeddings` (`input_type`: `query` or `passage` adds the model's prefix, none adds
nothing; each datum also says whether its text was `truncated`), `POST /v1/tokenize` (how many
tokens each text has, as SGLang's route of that name tells it), `GET /v1/models`, `GET /health`.
Prints one line when it is ready; SIGTERM and Ctrl-C finish what is being answered and stop it.
"""

import argparse
import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "infra"), str(ROOT / "functions")]

from local.embedding_backend import OnnxBackend  # noqa: E402  # the two folders above come first
from local.embedding_http import LOOPBACK, EmbeddingServer  # noqa: E402

DRAIN_SECONDS = 5.0


def serve(server: EmbeddingServer) -> None:
    """Serve until SIGTERM or Ctrl-C."""

    def stop(_signal: int, _frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    backend = server.backend
    print(
        f"embedding server ready: http://{LOOPBACK}:{server.server_port}/v1 "
        f"model {backend.name}, {backend.dimension} dimensions, {backend.fingerprint}",
        flush=True,
    )
    try:
        server.serve_forever(poll_interval=0.1)
    except KeyboardInterrupt:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        server.drain(DRAIN_SECONDS)
    finally:
        server.server_close()


def main() -> int:
    """The command line; 1 and a sentence on standard error if it cannot serve."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model-dir", type=Path, required=True)
    parser.add_argument("--port", type=int, default=8089, help="0: any that is free")
    parser.add_argument("--threads", type=int, default=min(4, os.cpu_count() or 1))
    arguments = parser.parse_args()
    try:
        backend = OnnxBackend(arguments.model_dir, threads=arguments.threads)
        server = EmbeddingServer(backend, port=arguments.port)
    except (OSError, ValueError) as error:
        print(f"error: cannot serve embeddings: {error}", file=sys.stderr)
        return 1
    serve(server)
    return 0


if __name__ == "__main__":
    sys.exit(main())
