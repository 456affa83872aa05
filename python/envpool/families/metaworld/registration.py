"""The tasks of Meta-World, by EnvPool's ids."""

from __future__ import annotations

from typing import NamedTuple

from envpool.tasks.registration import register_family_task


class Task(NamedTuple):
    """A task of Meta-World.

    Attributes:
        name: Upstream's name, without the version.
        low: The least numbers of its random vectors: mostly places of an object and of a goal, m.
        high: The most.
        apart: How far these places are apart at least, m.
    """

    name: str
    low: tuple[float, ...]
    high: tuple[float, ...]
    apart: float = 0.0


# In EnvPool's order, which is that of the numbers in infos.
_TASKS = (
    Task("assembly", (0.0, 0.6, 0.02, -0.1, 0.75, 0.1), (0.0, 0.6, 0.02, 0.1, 0.85, 0.1), 0.1),
    Task(
        "basketball",
        (-0.1, 0.6, 0.0299, -0.1, 0.85, 0.0),
        (0.1, 0.7, 0.0301, 0.1, 0.9 + 1e-7, 0.0),
        0.15,
    ),
    Task(
        "bin-picking",
        (-0.21, 0.65, 0.02, 0.1199, 0.699, -0.001),
        (-0.03, 0.75, 0.02, 0.1201, 0.701, 0.001),
    ),
    Task(
        "box-close", (-0.05, 0.5, 0.02, -0.1, 0.7, 0.133), (0.05, 0.55, 0.02, 0.1, 0.8, 0.133), 0.25
    ),
    Task("button-press-topdown", (-0.1, 0.8, 0.115), (0.1, 0.9, 0.115)),
    Task("button-press-topdown-wall", (-0.1, 0.8, 0.115), (0.1, 0.9, 0.115)),
    Task("button-press", (-0.1, 0.85, 0.115), (0.1, 0.9, 0.115)),
    Task("button-press-wall", (-0.05, 0.85, 0.1149), (0.05, 0.9, 0.1151)),
    Task("coffee-button", (-0.1, 0.8, -0.001), (0.1, 0.9, 0.001)),
    Task(
        "coffee-pull",
        (-0.05, 0.7, -0.001, -0.1, 0.55, -0.001),
        (0.05, 0.75, 0.001, 0.1, 0.65, 0.001),
        0.15,
    ),
    Task(
        "coffee-push",
        (-0.1, 0.55, -0.001, -0.05, 0.7, -0.001),
        (0.1, 0.65, 0.001, 0.05, 0.75, 0.001),
        0.15,
    ),
    Task("dial-turn", (-0.1, 0.7, 0.0), (0.1, 0.8, 0.0)),
    Task(
        "disassemble",
        (0.0, 0.6, 0.025, -0.1, 0.6, 0.1699),
        (0.1, 0.75, 0.02501, 0.1, 0.75, 0.1701),
        0.1,
    ),
    Task("door-close", (0.0, 0.85, 0.15), (0.1, 0.95, 0.15)),
    Task("door-lock", (-0.1, 0.8, 0.15), (0.1, 0.85, 0.15)),
    Task("door-open", (0.0, 0.85, 0.15), (0.1, 0.95, 0.15)),
    Task("door-unlock", (-0.1, 0.8, 0.15), (0.1, 0.85, 0.15)),
    Task(
        "hand-insert",
        (-0.1, 0.6, 0.05, -0.04, 0.8, -0.0201),
        (0.1, 0.7, 0.05, 0.04, 0.88, -0.0199),
        0.15,
    ),
    Task("drawer-close", (-0.1, 0.9, 0.0), (0.1, 0.9, 0.0)),
    Task("drawer-open", (-0.1, 0.9, 0.0), (0.1, 0.9, 0.0)),
    Task("faucet-open", (-0.05, 0.8, 0.0), (0.05, 0.85, 0.0)),
    Task("faucet-close", (-0.1, 0.8, 0.0), (0.1, 0.85, 0.0)),
    Task("hammer", (-0.1, 0.4, 0.0), (0.1, 0.5, 0.0)),
    Task("handle-press-side", (-0.35, 0.65, -0.001), (-0.25, 0.75, 0.001)),
    Task("handle-press", (-0.1, 0.8, -0.001), (0.1, 0.9, 0.001)),
    Task("handle-pull-side", (-0.35, 0.65, 0.0), (-0.25, 0.75, 0.0)),
    Task("handle-pull", (-0.1, 0.8, -0.001), (0.1, 0.9, 0.001)),
    Task("lever-pull", (-0.1, 0.7, 0.0), (0.1, 0.8, 0.0)),
    Task(
        "pick-place-wall",
        (-0.05, 0.6, 0.015, -0.05, 0.85, 0.05),
        (0.05, 0.65, 0.015, 0.05, 0.9, 0.3),
        0.15,
    ),
    Task(
        "pick-out-of-hole",
        (0.0, 0.75, 0.02, -0.1, 0.5, 0.15),
        (0.0, 0.75, 0.02, 0.1, 0.6, 0.3),
        0.15,
    ),
    Task("pick-place", (-0.1, 0.6, 0.02, -0.1, 0.8, 0.05), (0.1, 0.7, 0.02, 0.1, 0.9, 0.3), 0.15),
    Task("plate-slide", (0.0, 0.6, 0.0, -0.1, 0.85, 0.0), (0.0, 0.6, 0.0, 0.1, 0.9, 0.0)),
    Task("plate-slide-side", (0.0, 0.6, 0.0, -0.3, 0.54, 0.0), (0.0, 0.6, 0.0, -0.25, 0.66, 0.0)),
    Task("plate-slide-back", (0.0, 0.85, 0.0, -0.1, 0.6, 0.015), (0.0, 0.85, 0.0, 0.1, 0.6, 0.015)),
    Task(
        "plate-slide-back-side",
        (-0.25, 0.6, 0.0, -0.05, 0.6, 0.015),
        (-0.25, 0.6, 0.0, 0.15, 0.6, 0.015),
    ),
    Task(
        "peg-insert-side",
        (0.0, 0.5, 0.02, -0.35, 0.4, -0.001),
        (0.2, 0.7, 0.02, -0.25, 0.7, 0.001),
        0.1,
    ),
    Task("peg-unplug-side", (-0.25, 0.6, -0.001), (-0.15, 0.8, 0.001)),
    Task("soccer", (-0.1, 0.6, 0.03, -0.1, 0.8, 0.0), (0.1, 0.7, 0.03, 0.1, 0.9, 0.0), 0.15),
    Task(
        "stick-push",
        (-0.08, 0.58, 0.0, 0.399, 0.55, 0.1319),
        (-0.03, 0.62, 0.001, 0.401, 0.6, 0.1321),
        0.1,
    ),
    Task(
        "stick-pull",
        (-0.1, 0.55, 0.0, 0.35, 0.45, 0.0199),
        (0.0, 0.65, 0.001, 0.45, 0.55, 0.0201),
        0.1,
    ),
    Task("push", (-0.1, 0.6, 0.02, -0.1, 0.8, 0.01), (0.1, 0.7, 0.02, 0.1, 0.9, 0.02), 0.15),
    Task(
        "push-wall",
        (-0.05, 0.6, 0.015, -0.05, 0.85, 0.01),
        (0.05, 0.65, 0.015, 0.05, 0.9, 0.02),
        0.15,
    ),
    Task(
        "push-back", (-0.1, 0.8, 0.02, -0.1, 0.6, 0.0199), (0.1, 0.85, 0.02, 0.1, 0.7, 0.0201), 0.15
    ),
    Task("reach", (-0.1, 0.6, 0.02, -0.1, 0.8, 0.05), (0.1, 0.7, 0.02, 0.1, 0.9, 0.3), 0.15),
    Task(
        "reach-wall",
        (-0.05, 0.6, 0.015, -0.05, 0.85, 0.05),
        (0.05, 0.65, 0.015, 0.05, 0.9, 0.3),
        0.15,
    ),
    Task(
        "shelf-place", (-0.1, 0.5, 0.019, -0.1, 0.8, 0.299), (0.1, 0.6, 0.021, 0.1, 0.9, 0.301), 0.1
    ),
    Task(
        "sweep-into",
        (-0.1, 0.6, 0.02, -0.001, 0.8399, 0.0199),
        (0.1, 0.7, 0.02, 0.001, 0.8401, 0.0201),
        0.15,
    ),
    Task("sweep", (-0.1, 0.6, 0.02), (0.1, 0.7, 0.02)),
    Task("window-open", (-0.1, 0.7, 0.16), (0.1, 0.9, 0.16)),
    Task("window-close", (0.0, 0.75, 0.2), (0.0, 0.9, 0.2)),
)
# By our ids, which are EnvPool's.
TASKS = {
    f"MetaWorld/{''.join(word.title() for word in task.name.split('-'))}-v3": f"{task.name}-v3"
    for task in _TASKS
}
# By upstream's names.
BY_NAME = {f"{task.name}-v3": task for task in _TASKS}

for _id, _name in TASKS.items():
    register_family_task(
        "envpool.families.metaworld",
        _id,
        "MetaWorld",
        max_episode_steps=500,
        reward_threshold=10.0,
        task_name=_name,
    )
