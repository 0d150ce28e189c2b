"""The server extension: TCP_NODELAY on every kernel websocket, and nothing broken without it."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from agentlens.server import (
    _jupyter_server_extension_points,
    _load_jupyter_server_extension,
    send_at_once,
)


def make_handler(coroutine: bool):
    class Handler:
        log = logging.getLogger("test")

        def __init__(self):
            self.done = []

        def set_nodelay(self, value):
            self.done.append(("nodelay", value))

        if coroutine:

            async def open(self, kernel_id):
                self.done.append(("open", kernel_id))
                return "opened"

        else:

            def open(self, kernel_id):
                self.done.append(("open", kernel_id))
                return "opened"

    return Handler


@pytest.mark.parametrize("coroutine", [True, False])
def test_sets_nodelay_once_before_open(coroutine):
    handler = make_handler(coroutine)
    assert send_at_once(handler)
    assert send_at_once(handler)  # idempotent
    one = handler()
    result = one.open("k1")
    if coroutine:
        result = asyncio.run(result)
    assert result == "opened"
    assert one.done == [("nodelay", True), ("open", "k1")]


def test_leaves_alone_what_it_does_not_know():
    class Bare:
        def open(self):
            return "opened"

    assert not send_at_once(Bare)
    assert Bare().open() == "opened"
    assert not send_at_once(type("Nothing", (), {"set_nodelay": lambda self, v: None}))


def test_failure_to_set_does_not_stop_the_socket():
    handler = make_handler(False)

    def broken(self, value):
        raise OSError("gone")

    handler.set_nodelay = broken
    send_at_once(handler)
    assert handler().open("k") == "opened"


def test_says_so_where_there_is_no_such_class(monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "jupyter_server.services.kernels.websocket", None)

    class App:
        log = logging.getLogger("app")

    with caplog.at_level("INFO"):
        _load_jupyter_server_extension(App())
    assert [r.levelname for r in caplog.records] == ["WARNING"]


def test_extension_point_names_this_module():
    assert _jupyter_server_extension_points() == [{"module": "agentlens.server"}]


def test_shipped_config_turns_it_on(root):
    shipped = json.loads((root / "jupyter-config" / "agentlens.json").read_text("utf-8"))
    assert shipped == {"ServerApp": {"jpserver_extensions": {"agentlens.server": True}}}


_PROBE = """
import socket, agentlens.server as ours
from jupyter_server.services.kernels import websocket
old = websocket.KernelWebsocketHandler.on_message
def on_message(self, message):
    option = self.ws_connection.stream.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    self.log.warning("PROBE nodelay=%s", bool(option))
    return old(self, message)
websocket.KernelWebsocketHandler.on_message = on_message
c = get_config()
"""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_for(read, text: str, seconds: float = 40) -> None:
    end = time.monotonic() + seconds
    while text not in read():
        if time.monotonic() > end:
            raise AssertionError(f"no {text!r} in:\n{read()}")
        time.sleep(0.1)


def _new_kernel(url: str) -> str:
    """Ask for a kernel; the server says that it runs a moment before it listens."""
    request = urllib.request.Request(url, b"{}", method="POST")
    for _ in range(100):
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)["id"]
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionRefusedError):
                raise
            time.sleep(0.1)
    raise AssertionError("the server never listened")


@pytest.mark.parametrize("on", [True, False])
def test_real_server_real_socket(tmp_path: Path, on):
    """A real kernel websocket of a real server has the option with the extension, else not."""
    websocket = pytest.importorskip("websocket")
    config = tmp_path / "config"
    config.mkdir()
    (config / "jupyter_server_config.py").write_text(_PROBE, "utf-8")
    log, port = tmp_path / "log", _free_port()
    env = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(config),
        "JUPYTER_DATA_DIR": str(tmp_path / "data"),
        "JUPYTER_RUNTIME_DIR": str(tmp_path / "run"),
        "JUPYTER_PLATFORM_DIRS": "0",
    }
    command = [
        sys.executable, "-m", "jupyter_server", "--allow-root", "--no-browser", f"--port={port}",
        "--ServerApp.port_retries=0", "--IdentityProvider.token=t",
        f"--ServerApp.root_dir={tmp_path}",
        f"--ServerApp.jpserver_extensions=agentlens.server={on}",
    ]  # fmt: skip
    with log.open("wb") as out:
        server = subprocess.Popen(command, stdout=out, stderr=out, env=env, cwd=tmp_path)
    try:
        _wait_for(lambda: log.read_text("utf-8"), "is running at")
        base = f"127.0.0.1:{port}/api/kernels"
        kernel = _new_kernel(f"http://{base}?token=t")
        client = websocket.create_connection(f"ws://{base}/{kernel}/channels?token=t", timeout=30)
        message = {
            "header": {
                "msg_id": "1",
                "msg_type": "kernel_info_request",
                "session": "s",
                "username": "",
                "version": "5.3",
                "date": "2026-01-01T00:00:00Z",
            },
            "parent_header": {},
            "metadata": {},
            "content": {},
            "channel": "shell",
        }
        client.send(json.dumps(message))
        _wait_for(lambda: log.read_text("utf-8"), f"PROBE nodelay={on}")
        client.close()
        urllib.request.urlopen(
            urllib.request.Request(f"http://{base}/{kernel}?token=t", method="DELETE"), timeout=30
        ).close()
    finally:
        server.terminate()
        server.wait(20)
    assert ("send at once" in log.read_text("utf-8")) is on
