"""PythonEnvSpec: what EnvSpec is for native environments, for those written in Python."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, Literal

import gymnasium
from gymnasium import spaces

from envpool.errors import ArgumentError
from envpool.spec.env_spec import EnvSpec
from envpool.spec.option_values import PYTHON, OptionValues, PythonOptions
from envpool.spec.options import RENDER_MODES
from envpool.spec.pictures import Pictures
from envpool.spec.spaces import Spaces
from envpool.workers.spaces import SpaceLeaves, describe


@dataclasses.dataclass(frozen=True)
class Interface:
    """A spec of environments written in Python, known once one of them was made.

    Attributes:
        name: What messages call them.
        observation_space: Their observation space.
        action_space: Their action space.
        metadata: Environment 0's.
        num_agents: How many there can be; None: they are environments of one player.
        info_space: Of the infos that come as arrays; None: nobody knows them before.
    """

    name: str
    observation_space: spaces.Space[Any]
    action_space: spaces.Space[Any]
    metadata: dict[str, Any]
    num_agents: int | None = None
    info_space: spaces.Dict | None = None


class PythonSpaces(Spaces):
    """The observations and actions of environments written in Python.

    Args:
        interface: What is known of the environments.
        options: Their options.
    """

    def __init__(self, interface: Interface, options: OptionValues) -> None:
        self._interface = interface
        observation = SpaceLeaves(interface.observation_space, "obs")
        action = SpaceLeaves(interface.action_space, "action")
        infos = SpaceLeaves(interface.info_space, "info") if interface.info_space else None
        described = describe(observation, action, interface.num_agents, infos=infos) | {
            "observation_structure": "single" if observation.is_leaf else "dict",
            "action_structure": "single" if action.is_leaf else "dict",
        }
        super().__init__(described, options)

    def made_of(self, what: Literal["observation", "action"], spaces: Any) -> Any:
        """The space of one environment's observation or action, made of ``spaces``.

        Args:
            what: Which of the two.
            spaces: Gymnasium's module of spaces: then it is the environments' own. Or an old gym's,
                which knows no others than those of arrays; there Tuples become Dicts.

        Raises:
            ArgumentError: An old gym lacks a space.
        """
        if spaces is gymnasium.spaces:
            return getattr(self._interface, f"{what}_space")
        self.require_arrays("an old gym")
        return super().made_of(what, spaces)

    def require_arrays(self, who: str, instead: str = "take env_type 'gymnasium'") -> None:
        """Refuses spaces with parts that are no arrays.

        Args:
            who: Who only takes arrays.
            instead: What to do then.

        Raises:
            ArgumentError: There are some; the message names one of them.
        """
        for what, space in (("observation", self.observation), ("action", self.action)):
            for leaf in SpaceLeaves(space, what).objects:
                raise ArgumentError(
                    f"the {what} space of {self._interface.name} has a part {leaf.space}, which is "
                    f"not an array, and {who} has only arrays: {instead}"
                )


class PythonPictures(Pictures):
    """How environments written in Python draw themselves.

    Args:
        interface: What is known of the environments.
    """

    def __init__(self, interface: Interface) -> None:
        self.modes = list(RENDER_MODES)  # nobody knows before it is tried
        self._metadata = interface.metadata
        self._name, self._drawing = interface.name, None

    @property
    def size(self) -> tuple[int, int]:
        """Zeros: nobody knows before there is a picture."""
        return 0, 0

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata that Gymnasium's wrappers read about rendering."""
        return dict(self._metadata)


class PythonEnvSpec(EnvSpec):
    """The options, spaces and arrays of environments written in Python.

    Args:
        config: The values of all options; see :meth:`gen_config`.
        interface: What is known of the environments.
    """

    known = PYTHON
    spaces: PythonSpaces
    # Makes the pool of such environments, by the plans of its results, where checks have set it.
    open_workers: Any = None

    def __init__(self, config: Iterable[Any], interface: Interface) -> None:
        self.interface = interface
        self.known = PythonOptions(interface.name)  # type: ignore[misc]
        options = OptionValues(self.known, self.known.settle(PYTHON.Config(*config)._asdict()))
        self._set_parts(options, PythonSpaces(interface, options), PythonPictures(interface))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (tuple(self.config), self.interface), {"id": self.id}
