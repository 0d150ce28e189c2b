"""`python sample_traces/record [FOLDER]`: write all samples, byte for byte as they are here."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import claude_code
import libraries
import messages
import plain
from common import HERE

FILES = {**plain.FILES, **messages.FILES, **libraries.FILES, **claude_code.FILES}


def write(folder: Path) -> None:
    """Write every sample into a folder."""
    for name, make in FILES.items():
        (folder / name).write_bytes(make().encode("utf-8"))


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
