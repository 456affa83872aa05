"""What is made of the families' records says what they say, and a new family needs nothing else."""

from __future__ import annotations

import os
import re
import runpy
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import envpool
from envpool.families.mujoco.engine import built_for
from envpool.families.record import GYMNASIUM, MUJOCO, licence, records
from envpool.tasks.registry import registry
from helpers import run_command

ROOT = Path(__file__).parents[2]
PACKAGE = Path(envpool.__file__).parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RECORD = """
from envpool.families.record import Family, extra

FAMILY = Family(
    title="Dummies",
    place=35,
    tasks="Counting",
    shown="dummy/Counting-v0",
    equals="dummies 1.0",
    drawn="nobody",
    package="envpool.families.dummy",
    page="dummies.md",
    ways=(extra("dummy", "a dummy", "dummies==1.0"),),
    upstream={"dummies": "1.0"},
    beside="dummies (MIT)",
)
"""
CLASSES = """
from envpool.tasks.export import lazy_export

__getattr__, __dir__ = lazy_export("envpool.families.testing._testing", __name__)
"""
REGISTRATION = """
from envpool.tasks.registration import register_family_task

register_family_task("envpool.families.dummy", "dummy/Counting-v0", "Counting")
"""
TOLD = """
import sys

from envpool.doctor.tasks import families
from envpool.oracles.upstreams import UPSTREAMS

print(*(f"{finding.name}: {finding.text}" for finding in families()), sep="\\n")
print(UPSTREAMS["envpool.families.dummy"])
sys.path.insert(0, sys.argv[1])
import families as scripts

for name in scripts.PAGES:
    print(scripts.filled(name))
"""


@pytest.fixture
def python_with_a_dummy(tmp_path: Path) -> Any:
    """Runs Python with this package and one family more: returns what it prints."""
    if not (PACKAGE / "families/testing/_testing.so").exists():
        pytest.skip("the package is installed with -e: its libraries are elsewhere")
    families = tmp_path / "envpool/families"
    families.mkdir(parents=True)
    for folder in (PACKAGE, PACKAGE / "families"):
        for path in folder.iterdir():
            link = tmp_path / "envpool" / path.relative_to(PACKAGE)
            if not link.exists():
                link.symlink_to(path)
    dummy = families / "dummy"
    dummy.mkdir()
    (dummy / "__init__.py").write_text(CLASSES)
    (dummy / "record.py").write_text(RECORD)
    (dummy / "registration.py").write_text(REGISTRATION)

    def run(*arguments: str) -> str:
        path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
        done = run_command(sys.executable, *arguments, cwd=tmp_path, PYTHONPATH=path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.slow
def test_a_new_family_is_a_folder(python_with_a_dummy: Any) -> None:
    listed = python_with_a_dummy("-m", "envpool", "list")
    titles = re.findall("^(box2d|dummy|mujoco.gym)$", listed, re.MULTILINE)
    assert titles == ["box2d", "dummy", "mujoco.gym"]
    assert "dummy/Counting-v0" in listed
    told = python_with_a_dummy("-c", TOLD, str(ROOT / "docs/scripts"))
    assert "dummy: 1 ids; dummy/Counting-v0 runs" in told
    assert "oracle='envpool.oracles.dummy:Environments', packages={'dummies': '1.0'}" in told
    for line in (
        '| Counting | `pip install "envpool-next[dummy]"` | dummies 1.0 |',
        "\ndummies\n",  # in the index
        '| `pip install "envpool-next[dummy]"` | [Dummies](../dummies.md) | a dummy |',
        "| [Dummies](dummies.md) | nobody |",
        "| [Dummies](dummies.md) | `dummies==1.0` |",
        "| [Dummies](../dummies.md) | - | - | dummies (MIT) |",
    ):
        assert line in told


def test_tables_are_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs/scripts"))
    families = runpy.run_path(str(ROOT / "docs/scripts/families.py"))
    sys.modules.pop("markdown", None)
    for name in families["PAGES"]:
        text = (ROOT / name).read_text()
        assert text.count("<!-- families:begin -->") == 1, name
        assert families["filled"](name) == text, "run python docs/scripts/families.py"


def test_extras_are_those_of_the_records() -> None:
    extras = PROJECT["optional-dependencies"]
    for record in records().values():
        for way in record.ways:
            if way.extra:
                assert extras[way.extra] == list(way.requirements), way.extra


def test_the_licence_is_that_of_the_records() -> None:
    assert PROJECT["license"] == licence()
    texts = {path.name for path in (ROOT / "third_party/licenses").iterdir()}
    for record in records().values():
        assert record.contents.texts.keys() <= texts


def test_upstreams_are_those_of_the_tests() -> None:
    """Who installs the extra ``test`` can compare what is not tested apart."""
    pins = {
        name: version
        for each in PROJECT["optional-dependencies"]["test"]
        for name, version in re.findall(r"^([\w-]+)(?:\[\w+\])?==([\d.]+)", each)
    }
    for record in records().values():
        if not (record.apart or record.wheel.is_optional):
            for name, versions in record.upstream.items():
                assert pins[name] in versions.split(" or "), name
    assert pins["gymnasium"] == GYMNASIUM


def test_mujocos_versions_are_those_that_are_built() -> None:
    assert built_for() in ([], MUJOCO.split(" or "))


def test_records_name_what_there_is() -> None:
    packages = {task.import_path for task in registry.tasks.values()}
    for name, record in records().items():
        assert record.package in packages
        assert registry.tasks[record.shown].import_path == record.package
        assert not record.page or (ROOT / "docs" / record.page).exists()
        assert (ROOT / f"python/envpool/oracles/{name}.py").exists()
        assert (ROOT / f"tests/families/{name}").is_dir()
