"""The tasks of Meta-World, by EnvPool's ids."""

from __future__ import annotations

from envpool.tasks.registration import register_family_task

# By EnvPool's ids, in its order, which is that of the numbers in infos: upstream's names.
TASKS = {
    f"MetaWorld/{''.join(word.title() for word in name.split('-'))}-v3": f"{name}-v3"
    for name in [
        "assembly",
        "basketball",
        "bin-picking",
        "box-close",
        "button-press-topdown",
        "button-press-topdown-wall",
        "button-press",
        "button-press-wall",
        "coffee-button",
        "coffee-pull",
        "coffee-push",
        "dial-turn",
        "disassemble",
        "door-close",
        "door-lock",
        "door-open",
        "door-unlock",
        "hand-insert",
        "drawer-close",
        "drawer-open",
        "faucet-open",
        "faucet-close",
        "hammer",
        "handle-press-side",
        "handle-press",
        "handle-pull-side",
        "handle-pull",
        "lever-pull",
        "pick-place-wall",
        "pick-out-of-hole",
        "pick-place",
        "plate-slide",
        "plate-slide-side",
        "plate-slide-back",
        "plate-slide-back-side",
        "peg-insert-side",
        "peg-unplug-side",
        "soccer",
        "stick-push",
        "stick-pull",
        "push",
        "push-wall",
        "push-back",
        "reach",
        "reach-wall",
        "shelf-place",
        "sweep-into",
        "sweep",
        "window-open",
        "window-close",
    ]
}

for _id, _name in TASKS.items():
    register_family_task(
        "envpool.families.metaworld",
        _id,
        "MetaWorld",
        max_episode_steps=500,
        reward_threshold=10.0,
        task_name=_name,
    )
