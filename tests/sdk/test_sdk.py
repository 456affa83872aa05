"""envpool.sdk: where the SDK is, for builds that don't find it by themselves."""

import subprocess
import sys
from pathlib import Path

import pytest

import envpool
from helpers import run_python


def test_where_it_is():
    assert (Path(envpool.get_cmake_dir()) / "envpoolConfig.cmake").is_file()
    assert (Path(envpool.get_include()) / "envpool" / "family.h").is_file()
    assert envpool.get_include is envpool.sdk.get_include


def test_version():
    assert envpool._core.sdk_version == envpool.sdk.SDK_VERSION
    assert isinstance(envpool.sdk.SDK_VERSION, int)
    assert not hasattr(envpool.sdk, "SDK_VERSOIN")


def test_nothing_heavy_is_loaded():
    done = run_python("""
import sys
import envpool
envpool.get_cmake_dir(), envpool.get_include(), envpool.sdk.lazy_export
for name in ("typer", "envpool._core", "envpool.spec.env_spec"):
    assert name not in sys.modules, name
""")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("option", "find"),
    [("--cmake-dir", envpool.get_cmake_dir), ("--include-dir", envpool.get_include)],
)
def test_command_line(option, find):
    command = [sys.executable, "-X", "importtime", "-m", "envpool", option]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == find() + "\n"
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "envpool.sdk" in imported
    assert not imported & {"typer", "envpool._core"}


@pytest.mark.parametrize("found", ["None", "types.SimpleNamespace(origin='/nowhere/cmake/x.py')"])
def test_sources_that_were_never_installed(found):
    done = run_python(f"""
import importlib.util, sys, types
import envpool.sdk
envpool.sdk.importlib.util.find_spec = lambda name: {found}
for find in (envpool.get_cmake_dir, envpool.get_include):
    try:
        find()
    except ImportError as error:
        print(error)
sys.argv = ["envpool", "--cmake-dir"]
import envpool.__main__
envpool.__main__.main()
""")
    assert done.returncode == 1
    assert done.stdout.count("pip install envpool-next, or in its sources by pip install -e .") == 2
    assert done.stderr.startswith("error: there is no envpoolConfig.cmake ")
    assert "Traceback" not in done.stderr
