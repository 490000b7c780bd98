"""WARC files and exports in object storage, by fsspec: a bucket of S3, or any other place that it knows."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, cast

from typing_extensions import override

from thresher.core.errors import StoreFailed, ThresherError, UsageError
from thresher.core.files import plain_file
from thresher.core.optional import library
from thresher.warc.files import WARC, Volume

BLOCK = 1 << 20  # bytes read at a time: a record is mostly smaller


class RemoteVolume(Volume):
    """A prefix of a bucket; each file is there whole or not at all."""

    def __init__(self, place: str) -> None:
        """Name the place, such as `s3://bucket/prefix`; who may write there is said by the environment."""
        self._place = place
        if "://" not in place:
            raise UsageError(f"{place!r} is no place of object storage: write it as s3://bucket/prefix.")
        with _asking(place):
            fsspec = library("fsspec", "s3", "Object storage")
            self._files, self._root = fsspec.core.url_to_fs(place)

    def _path(self, name: str) -> str:
        return f"{self._root}/{plain_file(Path(self._root), name).name}"

    @override
    def names(self) -> list[str]:
        with _asking(self._place):
            self._files.invalidate_cache()
            paths = self._files.find(self._root, maxdepth=1)
        return sorted(path.rpartition("/")[2] for path in paths if path.endswith(WARC))

    @override
    def size(self, name: str) -> int | None:
        with _asking(self._place):
            self._files.invalidate_cache()
            path = self._path(name)
            return int(self._files.size(path)) if self._files.exists(path) else None

    @override
    def open(self, name: str) -> BinaryIO:
        with _asking(self._place):
            return cast(BinaryIO, self._files.open(self._path(name), "rb", block_size=BLOCK))

    @override
    def put(self, file: Path) -> None:
        with _asking(self._place):
            self._files.put_file(str(file), self._path(file.name))
        if self.size(file.name) != file.stat().st_size:
            raise StoreFailed(f"{self._place} holds {file.name} in part only; the whole file stays here.")

    @override
    def remove(self, name: str) -> None:
        if self.size(name) is not None:
            with _asking(self._place):
                self._files.rm_file(self._path(name))


@contextmanager
def stored(place: str) -> Iterator[Path]:
    """Name a file or folder to be made here, and put it, with what is made beside it, in object storage."""
    above, _, name = place.rpartition("/")
    with _asking(place), TemporaryDirectory() as folder:
        storage, root = library("fsspec", "s3", "Object storage").core.url_to_fs(above)
        yield Path(folder) / name
        for each in Path(folder).rglob("*"):
            if each.is_file():
                storage.put_file(str(each), f"{root}/{each.relative_to(folder).as_posix()}")


@contextmanager
def _asking(place: str) -> Iterator[None]:
    """Say in a sentence what went wrong; the libraries of the services raise errors of their own."""
    try:
        yield
    except ThresherError:
        raise
    except ImportError as error:
        raise UsageError(f"{place} needs another library ({error}): pip install 'thresher[s3]'.") from None
    except PermissionError:
        raise StoreFailed(f"{place} may not be read or written: correct the rights, or the keys.") from None
    except FileNotFoundError:
        raise StoreFailed(f"{place} is not there: make the bucket, or correct its name.") from None
    except Exception as error:  # whatever the library of a service raises
        raise StoreFailed(f"{place} cannot be reached ({str(error)[:200]}).") from None
