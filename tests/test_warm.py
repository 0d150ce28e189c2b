"""`import agentlens` in a notebook's kernel makes the Lens ready; elsewhere it stays light."""

from __future__ import annotations

import subprocess
import sys

from jupyter_client.manager import start_new_kernel

_SEEN = "import sys; print('agentlens.widgets.lens.lens' in sys.modules)"


def _said(client: object, code: str) -> str:
    said: list[str] = []
    client.execute_interactive(  # type: ignore[attr-defined]
        code,
        timeout=60,
        output_hook=lambda m: said.append(m["content"].get("text", "")),
    )
    return "".join(said).strip()


def test_kernel_imports_the_lens_after_the_cell() -> None:
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        assert _said(client, "import agentlens; " + _SEEN) == "False"
        wait = "import asyncio\nfor _ in range(100):\n    await asyncio.sleep(0.1)\n    if "
        wait += "'agentlens.widgets.lens.lens' in sys.modules: break\n"
        assert _said(client, "import sys\n" + wait + _SEEN) == "True"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_elsewhere_nothing_is_imported() -> None:
    code = "import agentlens, sys; print({'ipywidgets', 'agentlens.warm'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
