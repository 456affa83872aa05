"""The tasks of this package, which pyproject.toml names as an entry point."""

from envpool.sdk import register_family_task


def register_tasks() -> None:
    """Add them to envpool's."""
    register_family_task(
        "walkenv",
        "walkenv/Walk-v0",
        "Walk",  # the name in cpp/walk.cpp
        max_episode_steps=100,
        reward_threshold=-8.0,  # a mean return that counts as solved
    )
