"""What a build fetches is unpacked as it should be, or the build ends with the reason.

Patches of engines apply exactly where they say.
"""

from __future__ import annotations

import importlib.util
import platform
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

THIRD_PARTY = Path(__file__).parents[2] / "third_party"
SOURCE = b"one\ntwo\r\nthree\xff\nfour\nfive\n"
PATCH = b"""Why.

--- a/src/file.c
+++ b/src/file.c
@@ -1,2 +1,3 @@
 one
+new
 two\r
@@ -4,2 +5,1 @@ three
 four
-five
"""


@pytest.fixture(scope="module")
def fetch() -> Any:
    spec = importlib.util.spec_from_file_location("fetch", THIRD_PARTY / "fetch.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    file = tmp_path / "src/file.c"
    file.write_bytes(SOURCE)
    return file


def apply(module: Any, tmp_path: Path, text: bytes) -> None:
    patch = tmp_path / "01-why.patch"
    patch.write_bytes(text)
    module.apply(patch, tmp_path)


def test_all_hunks_are_applied_byte_by_byte(fetch: Any, source: Path, tmp_path: Path) -> None:
    apply(fetch, tmp_path, PATCH)
    assert source.read_bytes() == b"one\nnew\ntwo\r\nthree\xff\nfour\n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b" four", b" fore", "does not apply to line 5 of .*src/file.c"),
        (b"+5,1", b"+4,1", "does not apply to line 4 of .*src/file.c"),
        (b"+1,3", b"+0,3", "does not apply to line 0 of .*src/file.c"),
        (b" two\r\n", b" two\n", "does not apply to line 1 of .*src/file.c"),
        (b"src/file.c", b"src/gone.c", "does not apply to line 1 of .*src/gone.c"),
        (b"--- a/", b"", "names no file"),
    ],
)
def test_a_patch_that_does_not_fit_ends_the_build(
    fetch: Any, source: Path, tmp_path: Path, old: bytes, new: bytes, message: str
) -> None:
    with pytest.raises(SystemExit, match=rf"01-why\.patch .*{message}"):
        apply(fetch, tmp_path, PATCH.replace(old, new))
    assert source.read_bytes() == SOURCE


def test_every_patch_says_what_it_is_for() -> None:
    patches = list(THIRD_PARTY.glob("patches/*/*.patch"))
    assert len(patches) > 1
    for patch in patches:
        assert len(patch.read_text().partition("\n--- a/")[0]) > 50, patch


def test_of_a_wheel_only_a_part_is_unpacked(
    fetch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = f"{sys.platform}_2_28_{platform.machine()}"
    for name in (f"some_core-1.0-cp311-cp311-many{system}.whl", "some_core-1.0-py3-none-other.whl"):
        with zipfile.ZipFile(tmp_path / name, "w") as wheel:
            for file in ("some/include/some.h", "some/libsome.so.1.0", "some/other.py"):
                wheel.writestr(file, name)
    monkeypatch.setenv("ENVPOOL_SDIST_DIR", str(tmp_path))
    fetch.main("wheel", "some-core==1.0", str(tmp_path / "out"), "some/include/", "some/lib")
    files = {path.name: path.read_text() for path in (tmp_path / "out").rglob("*.*")}
    assert set(files) == {"some.h", "libsome.so.1.0"}
    assert all(system in text for text in files.values())
