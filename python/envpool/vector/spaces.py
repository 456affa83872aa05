"""The spaces of a vector environment, and whether its environments' own agree with them."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from gymnasium import Space
from gymnasium.spaces.utils import is_space_dtype_shape_equiv
from gymnasium.vector.utils import batch_differing_spaces, batch_space

Spaces = Space[Any]
ObservationMode = str | tuple[Spaces, Spaces]


def check_observation_mode(mode: Any) -> None:
    """Refuses what is no observation_mode, in Gymnasium's words.

    Raises:
        TypeError: It is a pair of something else than spaces.
        ValueError: There is no such mode.
    """
    if isinstance(mode, tuple) and len(mode) == 2:  # noqa: PLR2004 - of the batch, of one
        if not all(isinstance(space, Space) for space in mode):
            raise TypeError(
                "Expected both elements of observation_mode to be Spaces, "
                f"got {type(mode[0])} and {type(mode[1])}"
            )
    elif not isinstance(mode, str) or mode not in {"same", "different"}:
        raise ValueError(
            "Invalid `observation_mode`, expected: 'same' or 'different' or tuple of single and "
            f"batch observation space, actual got {mode}"
        )


def observation_spaces(mode: ObservationMode, each: Sequence[Spaces]) -> tuple[Spaces, Spaces]:
    """The observation space of the batch, and that of a single environment.

    Args:
        mode: A mode that :func:`check_observation_mode` does not refuse.
        each: The spaces of the environments.
    """
    if isinstance(mode, tuple):
        return mode
    if mode == "same":
        return batch_space(each[0], len(each)), each[0]
    return batch_differing_spaces(list(each)), each[0]


def check_spaces(
    owner: str,
    mode: ObservationMode,
    single: Spaces,
    observations: Sequence[Spaces],
    actions: Sequence[Spaces],
) -> None:
    """Refuses environments whose spaces do not fit together.

    Args:
        owner: The name of the vector environment's class.
        mode: Its observation_mode.
        single: Its space of a single observation.
        observations: The observation spaces of the environments.
        actions: Their action spaces.

    Raises:
        RuntimeError: Some do not; the message has the first one's index.
    """
    fits = operator.eq if mode == "same" else is_space_dtype_shape_equiv
    for i, space in enumerate(observations):
        if not fits(space, single):
            raise RuntimeError(
                f"{owner}(..., observation_mode={mode!r}), but environment {i} has the observation "
                f"space {space}, expected {single} (with 'different', only its shape and dtype)"
            )
    for i, space in enumerate(actions):
        if space != actions[0]:
            raise RuntimeError(
                f"Some environments have an action space different from `{actions[0]}`: "
                f"environment {i} has `{space}`. In order to batch actions, the action spaces from "
                "all environments must be equal."
            )
