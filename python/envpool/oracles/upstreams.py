"""The packages that the tasks of each family are compared with, and their oracles."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from envpool.families.metaworld import VERSION as METAWORLD
from envpool.families.mujoco.engine import GYM, built_for, installed
from envpool.families.vizdoom import VERSION as VIZDOOM
from envpool.machine import installed_version

_LONGEST = 12  # steps for which an action is repeated


class Upstream(NamedTuple):
    """The packages whose environments a family's tasks must equal.

    Attributes:
        oracle: The class of ours that makes them, as ``module:Name``.
        packages: What has to be installed, with the version that ours are equal to.
        draws: What they draw with, if that is OpenGL.
        also: What else they import, of any version.
    """

    oracle: str
    packages: Mapping[str, str]
    draws: str = ""
    also: str = ""

    def lack(self) -> str:
        """Says which packages are missing or have another version; empty if none is."""
        versions = {name: installed_version(name) for name in self.packages}
        lacks = [
            f"{name}=={self.packages[name]} ({f'{has} is' if has else 'not'} installed)"
            for name, has in versions.items()
            if has != self.packages[name]
        ]
        if not lacks:
            return ""
        wanted = " ".join(f"{name}=={number}" for name, number in self.packages.items())
        return f"needs {', '.join(lacks)}: pip install {wanted} {self.also}".rstrip()

    def others(self) -> str:
        """The packages that have another version; empty if none has, or if one is missing."""
        has = {name: installed_version(name) for name in self.packages}
        if not all(has.values()):
            return ""
        others = [name for name in has if has[name] != self.packages[name]]
        return ", ".join(f"{name} {has[name]} (not {self.packages[name]})" for name in others)

    def load(self) -> Oracle:
        """Loads the oracle's module, and with it the packages.

        Raises:
            ImportError: One of them does not load.
        """
        oracle: Oracle = pkgutil.resolve_name(self.oracle)()
        return oracle


_GYMNASIUM = {"gymnasium": "1.4.0"}


def _mujoco(family: str) -> dict[str, str]:
    """The MuJoCo that is installed if the family is built for it, or else the latest that it is."""
    built, there = built_for(family), installed()
    return {"mujoco": built[-1] if built and there not in built else there}


_DM_CONTROL, _ROBOTICS = "envpool.families.dm_control", "envpool.families.robotics"
_METAWORLD = "envpool.families.metaworld"

# By the module of the family. A new family is a line here.
UPSTREAMS = {
    "envpool.families.classic_control": Upstream(
        "envpool.oracles.gymnasium_envs:ClassicControl", _GYMNASIUM
    ),
    "envpool.families.toy_text": Upstream("envpool.oracles.gymnasium_envs:ToyText", _GYMNASIUM),
    "envpool.families.box2d": Upstream(
        "envpool.oracles.gymnasium_envs:Box2D",
        _GYMNASIUM | {"box2d": "2.3.10", "pygame-ce": "2.5.8"},
    ),
    GYM: Upstream(
        "envpool.oracles.mujoco:Robots",
        _GYMNASIUM | _mujoco(GYM),
        draws="OpenGL",
        also="imageio packaging",
    ),
    _DM_CONTROL: Upstream(
        "envpool.oracles.dm_control:Suite",
        {"dm_control": "1.0.50"} | _mujoco(_DM_CONTROL),
        draws="OpenGL",
    ),
    _ROBOTICS: Upstream(
        "envpool.oracles.robotics:Robotics",
        _GYMNASIUM | {"gymnasium-robotics": "1.4.2"} | _mujoco(_ROBOTICS),
        draws="OpenGL",
        also="packaging",
    ),
    "envpool.families.highway": Upstream(
        "envpool.oracles.highway:Roads",
        _GYMNASIUM | {"highway-env": "1.12.1"},
    ),
    _METAWORLD: Upstream(
        "envpool.oracles.metaworld:MetaWorld",
        _GYMNASIUM | {"metaworld": METAWORLD, "scipy": "1.17.1"} | _mujoco(_METAWORLD),
        draws="OpenGL",
        also="imageio packaging",
    ),
    "envpool.families.minigrid": Upstream(
        "envpool.oracles.minigrid:GridWorlds",
        _GYMNASIUM | {"minigrid": "3.2.0"},
        also="networkx imageio",
    ),
    "envpool.families.atari": Upstream(
        "envpool.oracles.atari:Games",
        _GYMNASIUM | {"ale-py": "0.12.1"},
        also="opencv-python-headless",
    ),
    # Whose library is fetched, not installed.
    "envpool.families.procgen": Upstream("envpool.oracles.procgen:Games", {}),
    # Upstream's package is built with the environments for tests. It imports these packages.
    "envpool.families.gfootball": Upstream(
        "envpool.oracles.gfootball:Scenarios",
        {"absl-py": "2.5.1", "six": "1.17.0"},
        also="opencv-python-headless",
    ),
    "envpool.families.vizdoom": Upstream(
        "envpool.oracles.vizdoom:Scenarios",
        {"vizdoom": VIZDOOM},
        also="opencv-python-headless",
    ),
}


def require(family: str) -> None:
    """Refuses to go on without the packages that a family is compared with.

    Args:
        family: The family's module.

    Raises:
        ImportError: One of them is missing or has another version.
    """
    if lack := UPSTREAMS[family].lack():
        raise ImportError(lack)


class Oracle:
    """Makes the environments that a family's tasks are compared with.

    Attributes:
        always_drawn: Parts of the ids of tasks where upstream's pictures tell of those before: ours
            are what they are if every state has been drawn once.
        drawn_last: The same of tasks where upstream goes on otherwise once it has drawn: there is
            one picture, at the end.
    """

    always_drawn: tuple[str, ...] = ()
    drawn_last: tuple[str, ...] = ()

    def lack(self, task_id: str) -> str:
        """Why a task has nothing to be compared with; empty if it has.

        Args:
            task_id: A task of the family.
        """
        return ""

    def options(self, task_id: str) -> dict[str, Any]:
        """Options of ours that make a task the same as upstream's; none if its defaults do.

        Args:
            task_id: The task.
        """
        return {}

    def make(self, task_id: str, seed: int, **options: Any) -> gymnasium.Env[Any, Any]:
        """Makes upstream's environment.

        Args:
            task_id: The task, by our id.
            seed: What it will first be reset with.
            **options: By our names: what :meth:`options` says, and ``render_mode``.
        """
        raise NotImplementedError

    def actions(self, space: gymnasium.Space[Any], seed: int) -> Iterator[Any]:
        """Batches of actions, without an end.

        Args:
            space: Upstream's batched space.
            seed: Of the actions.
        """
        return sampled(space, seed)

    def picture(self, env: gymnasium.Env[Any, Any]) -> Any:
        """Upstream's picture of an environment: uint8 ``[height, width, 3]``.

        Args:
            env: One that :meth:`make` has made.
        """
        return env.render()


def sampled(space: gymnasium.Space[Any], seed: int) -> Iterator[Any]:
    """Random actions.

    Args:
        space: Of the actions.
        seed: Of the generator.
    """
    space.seed(seed)
    while True:
        yield space.sample()


def repeated(space: gymnasium.Space[Any], seed: int) -> Iterator[Any]:
    """Random actions, each for some steps: others would cancel each other out.

    Args:
        space: Of the actions.
        seed: Of the generator.
    """
    rng = np.random.default_rng(seed)
    for action in sampled(space, seed):
        for _ in range(rng.integers(1, _LONGEST)):
            yield action
