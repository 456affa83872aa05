"""What EnvPool has as infos of MuJoCo's robots, by the native names of environments.

It counts these numbers per player, of which there is one.
"""

_PLACE = "x_position y_position distance_from_origin x_velocity y_velocity"
ENVPOOL = {
    f"Gym{name}": dict.fromkeys(infos.split(), "float64 ()")
    for name, infos in {
        "Ant": f"reward_forward reward_ctrl reward_contact reward_survive {_PLACE}",
        "HalfCheetah": "reward_run reward_ctrl x_position x_velocity",
        "Hopper": "x_position x_velocity",
        "Humanoid": f"reward_linvel reward_quadctrl reward_alive reward_impact {_PLACE}",
        "HumanoidStandup": "reward_linup reward_quadctrl reward_alive reward_impact",
        "Pusher": "reward_dist reward_ctrl reward_near",
        "Reacher": "reward_dist reward_ctrl",
        "Swimmer": f"reward_fwd reward_ctrl {_PLACE}",
        "Walker2d": "x_position x_velocity",
    }.items()
}
# Gymnasium has more in later versions, which only these environments show in EnvPool's dialect.
HAVE_MORE = {
    f"Gym{name}"
    for name in (
        *("Ant", "HalfCheetah", "Hopper", "Humanoid", "HumanoidStandup"),
        *("InvertedDoublePendulum", "InvertedPendulum", "Swimmer", "Walker2d"),
    )
}
