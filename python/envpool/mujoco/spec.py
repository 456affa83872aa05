"""MujocoEnvSpec: options of MuJoCo's environments under EnvPool's and Gymnasium's names."""

from __future__ import annotations

from typing import Any

from envpool.spec import EnvSpec

# EnvPool's names of options whose names here are Gymnasium's.
_OTHER_NAMES = {
    "use_contact_force": ("use_contact_forces", "include_cfrc_ext_in_observation"),
    "ctrl_cost_weight": ("reward_control_weight",),
    "dist_cost_weight": ("reward_dist_weight",),
    "near_cost_weight": ("reward_near_weight",),
    "contact_cost_weight": ("impact_cost_weight",),
}
# EnvPool's names of one end of a range.
_RANGE_ENDS = {
    **{f"{name}_min": ((f"{name}_range",), 0) for name in ("healthy_z", "healthy_angle")},
    **{f"{name}_max": ((f"{name}_range",), 1) for name in ("healthy_z", "healthy_angle")},
    "healthy_state_min": (("healthy_state_range",), 0),
    "healthy_state_max": (("healthy_state_range",), 1),
    "contact_force_min": (("contact_force_range",), 0),
    "contact_force_max": (("contact_force_range",), 1),
    "contact_cost_max": (("contact_cost_range", "impact_cost_range"), 1),
}


class MujocoEnvSpec(EnvSpec):
    """An :class:`EnvSpec` that also takes EnvPool's names of options."""

    @classmethod
    def gen_config(cls, **kwargs: Any) -> Any:
        """See :meth:`EnvSpec.gen_config`."""
        # Whose camera a picture shows is Gymnasium's in all versions.
        kwargs.pop("gymnasium_v5_render_camera", None)
        for name in [name for name in kwargs if name not in cls.defaults]:
            if name in _OTHER_NAMES:
                targets = [target for target in _OTHER_NAMES[name] if target in cls.defaults]
                if targets:
                    value = kwargs.pop(name)
                    kwargs |= dict.fromkeys(targets, value)
            elif name in _RANGE_ENDS:
                ranges, end = _RANGE_ENDS[name]
                for target in ranges:
                    if target in cls.defaults:
                        values = list(kwargs.get(target, cls.defaults[target]))
                        values[end] = kwargs.pop(name)
                        kwargs[target] = values
        return super().gen_config(**kwargs)

    @classmethod
    def to_native(cls, options: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`EnvSpec.to_native`."""
        if isinstance(options.get("main_body"), int):
            options = options | {"main_body": str(options["main_body"])}
        return options
