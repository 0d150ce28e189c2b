"""Writing a file whole: whoever looks finds the old one or the new one, never a half."""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import stat
import time
from pathlib import Path

__all__ = ["is_stream", "write_whole"]

#: What a name leads to here is a stream that somebody else holds open: `/dev/stdout`, `/proc/…/fd`.
_STREAMS = ("/dev/std", "/dev/fd/", "/proc/")
#: The folder takes no new file, or does not let one go in this one's place: a read-only folder, a
#: sticky one, a file that is mounted by itself.
_NO_NEW_FILE = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY, errno.EXDEV})
#: A left-over of a writer that was killed is removed when it is so old, in seconds.
_STALE = 3600.0
#: Names may have 255 bytes, and a character has at most 4.
_LONGEST, _CUT = 200, 50
_BINARY = getattr(os, "O_BINARY", 0)  # Windows would make two characters of a line's end


def write_whole(
    path: str | os.PathLike[str], data: bytes, *, private: bool = False, synced: bool = False
) -> None:
    """Write a file so that neither an interrupt nor a full disk leaves half of it.

    A new file beside the old one is written and put in its place in one step. Links are followed,
    and the old file's permissions stay. What is no file of its own (a pipe, `/dev/stdout`) is
    written straight; so is a file that cannot be replaced but can be written, unless it is private.

    Parameters
    ----------
    path
        Where; ``~`` is not expanded.
    data
        All of it.
    private
        Only its owner may read it, whoever could read the old one.
    synced
        Return when a lost machine cannot undo it, and remove what a killed writer of the same file
        left more than an hour ago.

    Raises
    ------
    OSError
        If it cannot be written; it names `path`, and the old file is as it was.
    """
    target = os.fspath(path)
    try:
        old = _found(target)
        if is_stream(target):
            _write_straight(target, data)
        else:
            _write_beside(Path(os.path.realpath(target)), old, data, private, synced)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, target) from error


def _found(target: str) -> os.stat_result | None:
    try:
        return os.stat(target)  # noqa: PTH116
    except FileNotFoundError:
        return None


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Return whether a path leads to what has no place of its own: a pipe, ``/dev/stdout``."""
    target = os.fspath(path)
    found = _found(target)
    if found is None or not stat.S_ISREG(found.st_mode):
        return found is not None
    place = os.path.abspath(target)  # noqa: PTH100 - no link is to be followed yet
    while not place.startswith(_STREAMS):
        if not os.path.islink(place):  # noqa: PTH114
            return False
        place = os.path.normpath(os.path.join(os.path.dirname(place), os.readlink(place)))  # noqa: PTH115, PTH118, PTH120
    return True


def _write_straight(target: str | Path, data: bytes) -> None:
    with open(target, "wb") as file:  # noqa: PTH123
        file.write(data)


def _write_beside(
    target: Path, old: os.stat_result | None, data: bytes, private: bool, synced: bool
) -> None:
    if old is not None and not private:  # a file that is read-only stays
        os.close(os.open(target, os.O_WRONLY))
    stem = target.name if len(os.fsencode(target.name)) <= _LONGEST else target.name[:_CUT]
    new = target.with_name(f".{stem}.{os.urandom(8).hex()}.tmp")
    try:
        _replace(new, target, None if private else old, data, private, synced)
    except OSError as error:
        if old is None or private or error.errno not in _NO_NEW_FILE:
            raise
        _write_straight(target, data)
    if synced:
        _sync_folder(target.parent)
        _tidy(target.parent, f".{stem}.")


def _replace(
    new: Path, target: Path, like: os.stat_result | None, data: bytes, private: bool, synced: bool
) -> None:
    """Write `new` and put it in the place of `target`; where that fails, nothing is left."""
    # The system takes the mask from the mode by itself; reading the mask would mean to set it.
    mode = 0o666 if like is None and not private else 0o600
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if synced:
                file.flush()
                os.fsync(file.fileno())
        if like is not None:
            _dress(new, like)
        os.replace(new, target)  # noqa: PTH105 - the system call that is meant
    except BaseException:
        with contextlib.suppress(OSError):
            new.unlink()
        raise


def _dress(new: Path, like: os.stat_result) -> None:
    """Give a file another's owner, group and permissions, as far as that is allowed."""
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(new, -1, like.st_gid)
        with contextlib.suppress(OSError):
            os.chown(new, like.st_uid, -1)
    with contextlib.suppress(OSError):
        new.chmod(stat.S_IMODE(like.st_mode))


def _sync_folder(folder: Path) -> None:
    """Make the new name last; a system that cannot open folders (Windows) does so by itself."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _tidy(folder: Path, prefix: str) -> None:
    for old in folder.glob(f"{glob.escape(prefix)}*.tmp"):
        with contextlib.suppress(OSError):
            if time.time() - old.stat().st_mtime > _STALE:
                old.unlink()
