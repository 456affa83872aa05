"""Last observations and infos of episodes, in the infos of the step that started the next ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from envpool.spec.fields import row_of
from envpool.spec.infos import FAILURE_KEYS

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What merge_final() adds to infos, in this order.
FINAL_KEYS = ("final_obs", "_final_obs", "final_info", "_final_info")


STEP_ENTRIES = 5  # observation, reward, terminated, truncated, info


def add_failures(info: dict[str, Any], failures: Iterable[tuple[int, str]], num_rows: int) -> None:
    """Adds failures that environments survived to the infos of a step, as Gymnasium has infos.

    Args:
        info: The infos.
        failures: Rows, and what their environments raised.
        num_rows: How many rows there are.
    """
    texts, has_failed = np.full(num_rows, None, object), np.zeros(num_rows, np.bool_)
    for row, text in failures:
        texts[row], has_failed[row] = text, True
    info |= dict(zip(FAILURE_KEYS, (texts, has_failed), strict=True))


def with_masks(
    info: dict[str, Any],
    mask: NDArray[np.bool_],
    masks: Mapping[str, NDArray[np.bool_]] = MappingProxyType({}),
) -> dict[str, Any]:
    """Infos as Gymnasium's vector environments give them: masks added, and 0 where these are not.

    Objects are None there.

    Args:
        info: The infos, which are changed.
        mask: Who has them.
        masks: Who has those of some keys instead. What nobody has of these is left out.
    """
    result: dict[str, Any] = {}
    others = _others(mask)
    # Keys mostly share a mask, and with few rows it is the calls of NumPy that take the time.
    known: dict[int, tuple[bool, NDArray[np.bool_] | None]] = {}
    for key, value in info.items():
        which, rest = mask, others
        if key in masks:
            which = masks[key]
            if id(which) not in known:
                known[id(which)] = bool(which.any()), _others(which)
            has_rows, rest = known[id(which)]
            if not has_rows:
                continue
        if isinstance(value, dict):
            result[key] = with_masks(value, which)
        else:
            if rest is not None:
                value[rest] = None if value.dtype == object else 0
            result[key] = value
        result[f"_{key}"] = which.copy()
    return result


def _others(mask: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Who is not in the mask; None instead of nobody."""
    return None if mask.all() else ~mask


def _rows(observation: Any, which: NDArray[np.bool_]) -> NDArray[Any]:
    """An array of objects with the observations of some rows, copied out of their batch."""
    rows = np.full(len(which), None, dtype=object)
    for row in np.flatnonzero(which).tolist():
        rows[row] = row_of(observation, row)
    return rows


def merge_final(
    results: tuple[Any, ...],
    pick: Callable[[Any, Any], Any] = _rows,
    mask: Callable[[dict[str, Any], Any], dict[str, Any]] = with_masks,
) -> tuple[Any, ...]:
    """Puts the final observations and infos of a step into its infos, as Gymnasium has them.

    Args:
        results: What the native pool returned. Where episodes ended in the step, there is a sixth
            entry: final observations and final infos, valid in the rows of those episodes.
        pick: Makes what is shown of final observations, of which only some rows are valid.
        mask: The same of final infos; see :func:`with_masks`.

    Returns:
        Five entries. ``info["final_obs"]`` is an array of objects, the last observation of each
        ended episode and None elsewhere; ``info["final_info"]`` has its last infos, 0 elsewhere;
        the masks ``_final_obs``, ``_final_info`` and those inside of ``final_info`` tell where.
    """
    if len(results) <= STEP_ENTRIES:
        return results
    *step, (final_obs, final_info) = results
    _, _, terminated, truncated, info = step
    ended = terminated | truncated
    info["final_obs"] = pick(final_obs, ended)
    info["_final_obs"] = ended
    info["final_info"] = mask(final_info, ended)
    info["_final_info"] = ended.copy()
    return tuple(step)
