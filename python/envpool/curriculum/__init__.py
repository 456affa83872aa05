"""Curricula: which level each episode plays, for ``envpool.make(..., episodes=schedule)``."""

from envpool.curriculum.levels import Level, as_episode
from envpool.curriculum.prioritized import PrioritizedLevels
from envpool.curriculum.schedules import Mixture, Sequence, Uniform
from envpool.schedules import Episode, RunningEpisode, Schedule

__all__ = [
    "Episode",
    "Level",
    "Mixture",
    "PrioritizedLevels",
    "RunningEpisode",
    "Schedule",
    "Sequence",
    "Uniform",
    "as_episode",
]
