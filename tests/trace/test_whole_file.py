"""A file is written whole or not at all; links, permissions and streams are what they were."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentlens.trace.whole_file import write_whole

posix = pytest.mark.skipif(os.name != "posix", reason="links, pipes and permissions of POSIX")
NOBODY = 65_534


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@posix
def test_permissions_stay_and_new_files_have_those_of_the_mask(tmp_path: Path, monkeypatch):
    path = tmp_path / "a"
    before = os.umask(0o027)
    monkeypatch.setattr(os, "umask", None)  # not even for an instant
    try:
        write_whole(path, b"1")
        assert mode(path) == 0o640
        for kept in (0o600, 0o666, 0o751):
            path.chmod(kept)
            write_whole(path, b"2")
            assert mode(path) == kept
        write_whole(path, b"3", private=True)
        assert mode(path) == 0o600
        write_whole(tmp_path / "b", b"3", private=True)
        assert mode(tmp_path / "b") == 0o600
    finally:
        monkeypatch.undo()
        os.umask(before)


@posix
def test_what_the_old_file_hid_is_hidden_while_the_new_one_is_written(tmp_path: Path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"1")
    path.chmod(0o600)
    modes, opened = [], os.fdopen

    def fdopen(handle, *rest):
        modes.append(stat.S_IMODE(os.fstat(handle).st_mode))
        return opened(handle, *rest)

    monkeypatch.setattr(os, "fdopen", fdopen)
    write_whole(path, b"2")
    assert modes == [0o600]


@pytest.fixture
def place(tmp_path_factory) -> Iterator[Path]:
    """Yield a file of a user whom permissions bind; root may write all."""
    if os.geteuid():
        path = tmp_path_factory.mktemp("place") / "a"
        path.write_bytes(b"1")
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        path.write_bytes(b"1")
        for own in (path.parent, path):
            os.chown(own, NOBODY, -1)
        os.seteuid(NOBODY)
        try:
            yield path
        finally:
            os.seteuid(0)


@posix
def test_a_read_only_file_stays(place: Path):
    place.chmod(0o444)
    with pytest.raises(PermissionError):
        write_whole(place, b"2")
    assert place.read_bytes() == b"1"


@posix
def test_a_file_in_a_read_only_folder_is_written_straight(place: Path):
    place.parent.chmod(0o555)
    write_whole(place, b"2")
    with pytest.raises(PermissionError) as caught:
        write_whole(place.with_name("b"), b"2")
    place.parent.chmod(0o755)
    assert place.read_bytes() == b"2"
    assert caught.value.filename == str(place.with_name("b"))


def test_a_file_that_cannot_be_replaced_is_written_straight(tmp_path: Path, monkeypatch):
    """A file that is mounted by itself, as containers do it, has a place that is busy."""

    def busy(*_):
        raise OSError(errno.EBUSY, "Device or resource busy")

    path = tmp_path / "a"
    path.write_bytes(b"long ago")
    monkeypatch.setattr(os, "replace", busy)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    with pytest.raises(OSError, match="busy"):  # others could read it
        write_whole(path, b"secret", private=True)
    with pytest.raises(OSError, match="busy"):
        write_whole(tmp_path / "b", b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@posix
def test_links_are_followed(tmp_path: Path):
    (tmp_path / "there").mkdir()
    link, far = tmp_path / "link", tmp_path / "there" / "file"
    link.symlink_to("there/file")
    for data in (b"1", b"2"):  # not there yet, and there
        write_whole(link, data)
        assert link.is_symlink()
        assert far.read_bytes() == data
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    with pytest.raises(OSError, match="symbolic links") as caught:
        write_whole(loop, b"3")
    assert caught.value.filename == str(loop)
    assert loop.is_symlink()
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["file", "link", "loop", "there"]


@posix
def test_a_pipe_is_written_straight(tmp_path: Path):
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, b"through")
    reader.join()
    assert got == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


WRITE = (
    "import sys; from agentlens.trace.whole_file import write_whole; "
    "write_whole(sys.argv[1], b'straight')"
)


@posix
@pytest.mark.parametrize("linked", [False, True])
def test_standard_output_is_written_straight_also_where_it_is_a_file(tmp_path: Path, linked: bool):
    """Who redirected it holds it open, and would not see another file in its place."""
    name = "/dev/stdout"
    if linked:
        (tmp_path / "link").symlink_to(name)
        name = str(tmp_path / "link")
    command = [sys.executable, "-c", WRITE, name]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b"straight"
    with (tmp_path / "out").open("w+b") as file:
        subprocess.run(command, stdout=file, check=True)
        file.seek(0)
        assert file.read() == b"straight"
    assert {p.name for p in tmp_path.iterdir()} <= {"out", "link"}


@pytest.mark.parametrize("name", ["a[1]*.json", "天" * 85, "x" * 255])
def test_any_name_that_a_file_can_have(tmp_path: Path, name: str):
    for data in (b"1", b"2"):
        write_whole(tmp_path / name, data, synced=True)
    assert (tmp_path / name).read_bytes() == b"2"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", ["no/such/folder", "file/below", "folder", "x" * 300])
def test_where_nothing_can_be_written_the_error_names_the_path(tmp_path: Path, name: str):
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    path = f"{tmp_path}/{name}"
    with pytest.raises(OSError, match=r"^\[Errno") as plain:
        Path(path).write_bytes(b"1")
    with pytest.raises(OSError, match=r"^\[Errno") as caught:
        write_whole(path, b"1")
    assert str(caught.value) == str(plain.value)
    assert type(caught.value) is type(plain.value)


def test_only_old_left_overs_of_the_same_file_are_removed(tmp_path: Path):
    names = (".a[1].json.0123.tmp", ".a1.json.0123.tmp", ".a[1].json.4567.tmp")
    for name in names:
        (tmp_path / name).write_text("half")
    for name in names[:2]:
        os.utime(tmp_path / name, (time.time() - 7200,) * 2)
    write_whole(tmp_path / "a[1].json", b"{}", synced=True)
    assert {p.name for p in tmp_path.iterdir()} == {"a[1].json", *names[1:]}


def test_writers_side_by_side_leave_one_whole_file(tmp_path: Path):
    path = tmp_path / "a"
    made = [bytes([n]) * 100_000 for n in range(8)]
    threads = [threading.Thread(target=write_whole, args=(path, data)) for data in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() in made
    assert list(tmp_path.iterdir()) == [path]
