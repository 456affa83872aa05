"""AtariEnvSpec: options also under the names that other packages' preprocessing has for them."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from envpool.errors import ArgumentError, install, shown
from envpool.spec.env_spec import EnvSpec
from envpool.spec.option_values import KnownOptions

_SIZE = ("img_width", "img_height")


class AtariOptions(KnownOptions):
    """Options that also have Gymnasium's, ALE's and Stable-Baselines3's names."""

    other_names: ClassVar[Mapping[str, str]] = {
        "frameskip": "frame_skip",  # AtariEnv and AtariVectorEnv
        "grayscale_obs": "gray_scale",  # AtariPreprocessing
        "grayscale": "gray_scale",  # AtariVectorEnv
        "stack_size": "stack_num",  # FrameStackObservation
        "num_stack": "stack_num",  # the same before Gymnasium 1.0
        "n_stack": "stack_num",  # VecFrameStack
        "clip_reward": "reward_clip",  # AtariWrapper
        "clip_rewards": "reward_clip",  # Baselines' wrap_deepmind
        "reward_clipping": "reward_clip",  # AtariVectorEnv
        "action_repeat_probability": "repeat_action_probability",  # AtariWrapper
    }

    def own_names(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.own_names`; here ``screen_size`` is width and height.

        Args:
            kwargs: Values of options.

        Raises:
            TypeError: Two names of an option have different values, or ``screen_size`` is neither
                a number nor two of them.
        """
        result = super().own_names(kwargs)
        if "screen_size" not in result:
            return result
        size = result.pop("screen_size")
        for name in _SIZE:
            if name in result:
                raise TypeError(
                    f"screen_size is {shown(size)} and {name} is {shown(result[name])}, expected "
                    "one of them: they are the same option"
                )
        if np.shape(size) not in ((), (2,)):
            raise TypeError(f"screen_size is {shown(size)}, expected a number or (width, height)")
        width, height = (size, size) if np.ndim(size) == 0 else size
        return result | {"img_width": width, "img_height": height}

    def describe(self) -> dict[str, str]:
        """A line about each option."""
        lines = super().describe()
        return lines | {name: f"{lines[name]}; both also: screen_size" for name in _SIZE}


def action_meanings(options: Sequence[dict[str, Any]]) -> list[str]:
    """ALE's names of environments' actions, such as ``NOOP`` and ``FIRE``.

    Args:
        options: Of one environment or several.

    Raises:
        ImportError: ALE's package is missing.
        ArgumentError: The environments have different actions (also a ValueError).
    """
    first, *others = (
        action_names(each["task"], each["full_action_space"] or each["continuous"])
        for each in options
    )
    if any(other != first for other in others):
        raise ArgumentError(
            'the environments have different actions: call("get_action_meanings") has those of each'
        )
    return list(first)


class AtariEnvSpec(EnvSpec):
    """An :class:`EnvSpec` that also takes other packages' names of options.

    Specs, pools and environments have ALE's ``get_action_meanings()``.
    """

    known_class = AtariOptions
    methods: ClassVar = {"get_action_meanings": action_meanings}


def action_names(game: str, has_all: bool) -> tuple[str, ...]:
    """ALE's names of a game's actions; our own library knows only how many there are.

    Args:
        game: As ALE calls it.
        has_all: Name all of the console's, not only the game's.

    Raises:
        ImportError: ALE's package is missing.
    """
    try:
        ale_py: Any = importlib.import_module("ale_py")
        roms: Any = importlib.import_module("ale_py.roms")
    except ImportError as error:
        raise ImportError(
            f"the names of Atari's actions need ale-py: {install('atari')}, or watch the game with "
            f"--policy random ({error})"
        ) from error
    return _read_names(ale_py, roms.get_rom_path(game), has_all)


@functools.cache
def _read_names(ale_py: Any, path: Any, has_all: bool) -> tuple[str, ...]:
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    ale = ale_py.ALEInterface()
    ale.loadROM(path)
    actions = ale.getLegalActionSet() if has_all else ale.getMinimalActionSet()
    return tuple(action.name for action in actions)
