"""The packages that the tasks of each family are compared with, and their oracles."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium.vector import SyncVectorEnv

from envpool.families.record import Family, records
from envpool.machine import installed_version
from envpool.spec.values import AutoresetMode
from envpool.tasks.registry import gymnasium_id, registry

_LONGEST = 12  # steps for which an action is repeated


class Upstream(NamedTuple):
    """The packages whose environments a family's tasks must equal.

    Attributes:
        oracle: The class of ours that makes them, as ``module:Name``.
        packages: What has to be installed, with the version that ours are equal to.
        draws: What they draw with, if that is OpenGL.
        also: What else they import, of any version.
        has_pictures: False if there are none to compare.
        patience_s: For how many seconds a comparison may tell nothing, as while JAX compiles.
    """

    oracle: str
    packages: Mapping[str, str]
    draws: str = ""
    also: str = ""
    has_pictures: bool = True
    patience_s: float = 300.0

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


def _upstream(name: str, record: Family) -> Upstream:
    """What a family's record says of its upstream.

    The oracle is in the module of the family's name. Of several versions that ours are equal to, it
    is the one that is installed, or else the latest.
    """
    versions = {}
    for package, equal in record.upstream.items():
        known, there = equal.split(" or "), installed_version(package)
        versions[package] = there if there in known else known[-1]
    draws = "OpenGL" if record.opengl else ""
    return Upstream(f"envpool.oracles.{name}:Environments", versions, draws, record.also)


# By the module of the family, or the name of the package of JAX, of which any version will do,
# because ours run its functions.
UPSTREAMS = {record.package: _upstream(name, record) for name, record in records().items()}
UPSTREAMS |= {
    package: Upstream(
        "envpool.oracles.jax_packages:Environments",
        {
            package: installed_version(package) or tested,
            "jax": installed_version("jax") or "0.10.2",
        },
        has_pictures=False,
        patience_s=1800.0,
    )
    for package, tested in (
        ("pgx", "2.6.0"),
        ("jumanji", "1.1.2"),
        ("craftax", "1.6.1"),
        ("gymnax", "1.0.1"),
    )
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

    def ours(self, task_id: str, num_envs: int, **options: Any) -> Any:
        """Makes our environments, as one of Gymnasium's vector environments.

        Args:
            task_id: The task.
            num_envs: How many.
            **options: What :meth:`options` says, and ``render_mode``.
        """
        name = registry.tasks[task_id].gymnasium.get("id") or gymnasium_id(task_id)
        mode = AutoresetMode.NEXT_STEP
        return gymnasium.make_vec(name, num_envs, autoreset_mode=mode, **options)

    def theirs(self, task_id: str, seeds: Sequence[int], **options: Any) -> Any:
        """Makes upstream's, likewise.

        Args:
            task_id: The task, by our id.
            seeds: What they will first be reset with.
            **options: By our names, as for :meth:`make`.
        """
        makers = [lambda s=seed: self.make(task_id, s, **options) for seed in seeds]
        return SyncVectorEnv(makers, autoreset_mode=AutoresetMode.NEXT_STEP)

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


class Registered(Oracle):
    """Environments of Gymnasium's registry.

    Attributes:
        tasks: Gymnasium's id for each of ours; a task that is not there has the same id.
    """

    tasks: Mapping[str, str] = MappingProxyType({})

    def make(self, task_id: str, seed: int, **options: Any) -> gymnasium.Env[Any, Any]:
        """See :class:`Oracle`."""
        name = self.tasks.get(task_id, task_id)
        return gymnasium.make(name, disable_env_checker=True, **options)


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
