"""The tasks of this package, which pyproject.toml names as an entry point."""

from envpool.sdk import register_family_task


def register_tasks() -> None:
    """Add them to envpool's."""
    register_family_task(
        "robotenv",
        "robotenv/Reach-v0",
        "Reach",  # the name in cpp/reach.cpp
        max_episode_steps=100,
    )
