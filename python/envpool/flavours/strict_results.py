"""StrictResults: turns a native pool's results into those of Gymnasium's own environments."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.flavours.final_rows import FINAL_KEYS, STEP_ENTRIES, merge_final, with_masks
from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import conform, count_rows
from envpool.spec.infos import FAILURE_KEYS


class StrictResults:
    """Gives results Gymnasium's dtypes and masks, and infos only where Gymnasium has them.

    Args:
        spec: What the pool is made of. Its plans are :func:`envpool.spec.plans.gymnasium_plans`.

    Attributes:
        depends_on_actions: True if infos have the precision of actions, which must be noted then.
    """

    def __init__(self, spec: EnvSpec) -> None:
        rules = spec.spaces.info_rules
        self._space = spec.spaces.strict_observation
        has_statistics = spec.config.record_episode_statistics
        self._statistics_keys = ("episode", "_episode") if has_statistics else ()
        self._other_keys = (*self._statistics_keys, *FAILURE_KEYS)  # they have masks
        self._only_steps = rules.keys(rules.only_steps)
        self._only_terminated = rules.keys(rules.only_terminated)
        self._integer_at_reset = rules.keys(rules.integer_at_reset)
        self._action_precision = rules.keys(rules.action_precision)
        self.depends_on_actions = bool(self._action_precision)
        self._numpy_bools = frozenset(rules.keys(rules.numpy_bools))
        self._has_float32_actions = True

    def note_actions(self, actions: Any) -> None:
        """Remembers the type of the actions, for the infos that Gymnasium computes in it.

        Args:
            actions: What the next step is given.
        """
        self._has_float32_actions = np.asarray(actions).dtype == np.float32

    def convert(self, results: tuple[Any, ...], mask: NDArray[np.bool_] | None = None) -> Any:
        """Results as Gymnasium's vector environments return them.

        Args:
            results: The native pool's.
            mask: Who has infos, if not all.
        """
        obs, *rest, info = results[:STEP_ENTRIES]
        if info:
            everybody = np.ones(count_rows(obs), np.bool_)
            others = {key: info.pop(key) for key in self._other_keys if key in info}
            # Where there are final infos, those of terminated rows come from their resets.
            has_terminated = rest[1] if rest and len(results) == STEP_ENTRIES else ~everybody
            masks = dict.fromkeys(self._only_terminated, has_terminated)
            info = self._mask_infos(info, everybody if mask is None else mask, masks) | others
        converted = (conform(self._space, obs), *rest, info)
        if len(results) > len(converted):
            final_obs, final_info = results[-1]
            final_info = self._narrow(final_info)
            ends = {key: final_info.pop(key) for key in self._only_terminated}
            converted = merge_final((*converted, (conform(self._space, final_obs), final_info)))
            if rest[1].any():
                info["final_info"] |= with_masks(ends, rest[1])
            if info["_final_obs"][0]:
                # SyncVectorEnv adds an environment's last infos before its first ones.
                final_infos = {key: info.pop(key) for key in FINAL_KEYS}
                converted = (*converted[:-1], final_infos | info)
        return converted

    def _mask_infos(
        self, info: dict[str, Any], mask: NDArray[np.bool_], masks: dict[str, NDArray[np.bool_]]
    ) -> dict[str, Any]:
        """Infos as Gymnasium has them: those of ``masks`` only there, the others in all ``mask``.

        Those that differ between resets and steps do so here.
        """
        if not self._only_steps and not self._integer_at_reset and not masks:
            return with_masks(info, mask)
        if self._only_steps or self._integer_at_reset:
            is_step = info.pop("elapsed_step") > 0
            masks |= dict.fromkeys(self._only_steps, mask & is_step)
            if self._integer_at_reset and not is_step[np.argmax(mask)]:
                # An array of SyncVectorEnv has the type of the first number that comes.
                info |= {key: info[key].astype(np.int64) for key in self._integer_at_reset}
        if not mask.any():
            return {}
        return with_masks(self._narrow(info), mask, masks)

    def _narrow(self, info: dict[str, Any]) -> dict[str, Any]:
        """Infos in the types that Gymnasium has them in.

        What it computes from the actions has the actions' precision.
        """
        for key in self._numpy_bools & info.keys():  # as NumPy's own scalars
            info[key] = np.fromiter(info[key], object, len(info[key]))
        if self._has_float32_actions:
            for key in self._action_precision:
                if key in info:
                    info[key] = info[key].astype(np.float32)
        return info
