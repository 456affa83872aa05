"""No layout changes without a new version of the SDK: what .ci/abi.py notices."""

import importlib.util
import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from envpool import _core

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def abi() -> ModuleType:
    spec = importlib.util.spec_from_file_location("abi", ROOT / ".ci" / "abi.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_sdk_is_what_is_kept_of_its_version(abi: ModuleType) -> None:
    now = abi.state_of(ROOT, abi.version_of(ROOT), _core.sdk_fingerprint)
    assert abi.complaint((ROOT / abi.KEPT).read_text(), now) == ""
    assert _core.sdk_version == abi.version_of(ROOT)


SDK = "cpp/sdk/include/envpool"
RELEASE = "  virtual void Release() {}\n"
NUM_PLAYERS = "  virtual int NumPlayers() const { return 1; }\n"
LOW, HIGH = "  Bounds low = {-kInfinity};", "  Bounds high = {kInfinity};\n"

# A file, what is to be replaced there, and by what.
PLANTED = {
    "virtual functions in another order": (f"{SDK}/env.h", NUM_PLAYERS, RELEASE + NUM_PLAYERS),
    "another signature": (f"{SDK}/env.h", "(int /*player*/)", "(long /*player*/)"),
    "a virtual function less": (f"{SDK}/env.h", RELEASE, ""),
    "a member more": (f"{SDK}/field.h", LOW, f"  int more = 0;\n{LOW}"),
    "members in another order": (f"{SDK}/field.h", LOW, HIGH + LOW),
    "a private member of another type": (f"{SDK}/views.h", "std::size_t row_;", "int row_;"),
    "another value of an enum": (f"{SDK}/dtype.h", "  kInt8,", "  kFloat16,\n  kInt8,"),
    "another alias": (
        f"{SDK}/options.h",
        "bool, std::int64_t, double",
        "bool, double, std::int64_t",
    ),
    "another component": (
        "cpp/envs/toy_text/include/envpool/toy_text/categorical.h",
        "cumulated_.size() ? 0",
        "cumulated_.size() ? 1",
    ),
}
UNIMPORTANT = {
    "a comment": (f"{SDK}/env.h", "// Draws the environment", "// Paints the environment"),
    "a plain function more": (f"{SDK}/env.h", RELEASE, f"{RELEASE}  bool IsNew() const;\n"),
    "another body": (f"{SDK}/env.h", "const { return 1; }", "const { return 2 - 1; }"),
}


def _state_with(abi: ModuleType, folder: Path, change: tuple[str, str, str], version: int) -> str:
    """What is kept of a tree in which something was changed."""
    path, old, new = change
    for part in ("cpp/sdk", "cpp/envs/toy_text/include"):
        shutil.copytree(ROOT / part, folder / part)
    text = (folder / path).read_text()
    assert text.count(old) == 1
    (folder / path).write_text(text.replace(old, new))
    return str(abi.state_of(folder, version, _core.sdk_fingerprint))


@pytest.mark.parametrize("change", PLANTED)
def test_a_change_needs_a_new_version(abi: ModuleType, tmp_path: Path, change: str) -> None:
    kept = (ROOT / abi.KEPT).read_text()
    version = abi.version_of(ROOT)
    changed = _state_with(abi, tmp_path, PLANTED[change], version)
    assert "Raise kSdkVersion" in abi.complaint(kept, changed)
    raised = changed.replace(f"version {version}", f"version {version + 1}", 1)
    assert "if all of that is meant" in abi.complaint(kept, raised)


@pytest.mark.parametrize("change", UNIMPORTANT)
def test_other_changes_need_none(abi: ModuleType, tmp_path: Path, change: str) -> None:
    kept = (ROOT / abi.KEPT).read_text()
    assert (
        abi.complaint(kept, _state_with(abi, tmp_path, UNIMPORTANT[change], abi.version_of(ROOT)))
        == ""
    )


def test_what_the_compiler_sees_counts(abi: ModuleType) -> None:
    kept = (ROOT / abi.KEPT).read_text()
    other = re.sub(r"layouts \w+", "layouts 0", _core.sdk_fingerprint)
    assert "Raise kSdkVersion" in abi.complaint(
        kept, abi.state_of(ROOT, abi.version_of(ROOT), other)
    )


def test_nothing_is_kept_for_the_same_version(
    abi: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _state_with(abi, tmp_path, PLANTED["a member more"], 10)
    monkeypatch.setattr(abi, "ROOT", tmp_path)
    kept = (tmp_path / abi.KEPT).read_text()
    assert abi.main(["--keep"]) == 1
    assert (tmp_path / abi.KEPT).read_text() == kept
    (tmp_path / abi.KEPT).write_text(kept.replace("version", "version 1", 1))
    assert abi.main(["--keep"]) == 0
    assert "int more" in (tmp_path / abi.KEPT).read_text()
