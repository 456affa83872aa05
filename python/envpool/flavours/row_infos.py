"""RowInfos: each environment's own infos, out of those of a vector environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from envpool.spec.env_spec import EnvSpec


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
            rows = self._rows(key, value, num_envs)
            has_key = info[f"_{key}"].tolist()
            for own, row, has in zip(result, rows, has_key, strict=True):
                if has:
                    own[key] = row
        return result

    def _rows(self, key: str, value: dict[str, Any] | NDArray[Any], num_envs: int) -> Sequence[Any]:
        if isinstance(value, dict):
            return self.split(value, num_envs)
        if value.ndim > 1:
            return [row.copy() for row in value]
        # Those that Gymnasium's environments have as Python's numbers.
        is_python = value.dtype.kind in "biu" or key in self._python_floats
        rows: Sequence[Any] = value.tolist() if is_python else list(value)
        return rows
