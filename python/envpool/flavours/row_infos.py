"""RowInfos: each environment's own infos, out of those of a vector environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from envpool.spec.env_spec import EnvSpec


def rows_of(values: NDArray[Any], has_python_floats: bool) -> Sequence[Any]:
    """The rows of an info as Gymnasium's single environments have it: copies, or numbers.

    Args:
        values: A row per environment.
        has_python_floats: True if floats are Python's; integers and bools always are.
    """
    if values.ndim > 1:
        return [row.copy() for row in values]
    is_python = has_python_floats or values.dtype.kind in "biu"
    rows: Sequence[Any] = values.tolist() if is_python else list(values)
    return rows


class RowInfos:
    """Turns infos as ``EnvPoolVectorEnv`` has them into those that single environments have.

    Args:
        spec: What the vector environment was made of.
    """

    def __init__(self, spec: EnvSpec) -> None:
        self._python_floats = frozenset(
            spec.spaces.info_rules.keys(spec.spaces.info_rules.python_floats)
        )

    def split(self, info: dict[str, Any], num_envs: int) -> list[dict[str, Any]]:
        """A dict for each environment, with copies of what it has, and without masks.

        Args:
            info: Arrays with a row per environment, nested dicts of them, and masks: ``_key`` tells
                which environments have ``key``.
            num_envs: How many environments there are.
        """
        result: list[dict[str, Any]] = [{} for _ in range(num_envs)]
        for key, value in info.items():
            if key.startswith("_"):
                continue
            rows: Sequence[Any]
            if isinstance(value, dict):
                rows = self.split(value, num_envs)
            else:
                rows = rows_of(value, key in self._python_floats)
            has_key = info[f"_{key}"].tolist()
            for own, row, has in zip(result, rows, has_key, strict=True):
                if has:
                    own[key] = row
        return result
