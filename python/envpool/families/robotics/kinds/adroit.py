"""Adroit: a hand that opens doors, hammers, twirls a pen, or moves a ball."""

from __future__ import annotations

from envpool.families.robotics.kinds.kind import Task

_NAMES = ("Door", "Hammer", "Pen", "Relocate")

TASKS = [
    Task(f"AdroitHand{name}{suffix}-v1", f"AdroitHand{name}", 200, {"reward_type": reward_type})
    for name in _NAMES
    for reward_type, suffix in (("dense", ""), ("sparse", "Sparse"))
]
