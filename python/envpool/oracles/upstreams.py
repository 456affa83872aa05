"""Which packages the tasks of each family are compared with.

Only the standard library is needed here, so that what is missing can be told.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, NamedTuple

from envpool.tasks.registration import registry

if TYPE_CHECKING:
    from envpool.oracles.oracle import Oracle


class Upstream(NamedTuple):
    """Whose environments a family's tasks must equal.

    Attributes:
        module: The module of ours that makes them.
        packages: What has to be installed, with the version that ours are equal to.
        draws: What they draw with, if that is OpenGL.
        also: What else they import, of any version.
    """

    module: str
    packages: Mapping[str, str]
    draws: str = ""
    also: str = ""

    def missing(self) -> dict[str, str]:
        """The packages that are not installed in this version, and which one is, if any."""
        found = {package: installed_version(package) for package in self.packages}
        return {name: has for name, has in found.items() if has != self.packages[name]}

    def what_to_install(self) -> str:
        """The command that installs them."""
        wanted = " ".join(f"{name}=={number}" for name, number in self.packages.items())
        return f"pip install {wanted} {self.also}".rstrip()

    def load(self) -> Oracle:
        """Loads the module, and with it the packages.

        Raises:
            ImportError: One of them does not load.
        """
        oracle: Oracle = importlib.import_module(self.module).ORACLE
        return oracle


_GYMNASIUM = {"gymnasium": "1.4.0"}
_MUJOCO = {"mujoco": "3.17.0"}

# By the module of the family. A new family is a line here.
UPSTREAMS = {
    "envpool.families.classic_control": Upstream("envpool.oracles.classic_control", _GYMNASIUM),
    "envpool.families.toy_text": Upstream("envpool.oracles.toy_text", _GYMNASIUM),
    "envpool.families.box2d": Upstream(
        "envpool.oracles.box2d", _GYMNASIUM | {"box2d": "2.3.10", "pygame-ce": "2.5.8"}
    ),
    "envpool.families.mujoco.gym": Upstream(
        "envpool.oracles.mujoco",
        _GYMNASIUM | _MUJOCO,
        draws="OpenGL",
        also="imageio packaging",
    ),
    "envpool.families.dm_control": Upstream(
        "envpool.oracles.dm_control", {"dm_control": "1.0.50"} | _MUJOCO, draws="OpenGL"
    ),
    "envpool.families.robotics": Upstream(
        "envpool.oracles.robotics",
        _GYMNASIUM | {"gymnasium-robotics": "1.4.2"} | _MUJOCO,
        draws="OpenGL",
        also="packaging",
    ),
    "envpool.families.minigrid": Upstream(
        "envpool.oracles.minigrid",
        _GYMNASIUM | {"minigrid": "3.2.0"},
        also="networkx imageio",
    ),
    "envpool.families.atari": Upstream(
        "envpool.oracles.atari", _GYMNASIUM | {"ale-py": "0.12.1"}, also="opencv-python-headless"
    ),
}


def upstream_of(task_id: str) -> Upstream | None:
    """What a registered task is compared with, or None.

    Args:
        task_id: The task.
    """
    return UPSTREAMS.get(registry.tasks[task_id].import_path) if task_id in registry.tasks else None


def require(family: str) -> None:
    """Refuses to go on without the packages that a family is compared with.

    Args:
        family: The family's module.

    Raises:
        ImportError: One of them is missing or has another version.
    """
    upstream = UPSTREAMS[family]
    missing = upstream.missing()
    if missing:
        raise ImportError(f"{told(upstream, missing)}: {upstream.what_to_install()}")


def told(upstream: Upstream, missing: Mapping[str, str]) -> str:
    """In words, what is not installed.

    Args:
        upstream: Whose.
        missing: What it lacks.
    """
    return "needs " + ", ".join(
        f"{name}=={upstream.packages[name]} ({f'{has} is' if has else 'not'} installed)"
        for name, has in missing.items()
    )


def installed_version(package: str) -> str:
    """A package's version, or nothing.

    Args:
        package: Its name, as pip has it.
    """
    try:
        return version(package) or ""  # None where its metadata is damaged
    except (PackageNotFoundError, ValueError, KeyError):
        return ""
