"""EnvPool's path of :mod:`envpool.tasks.registration`, which clients import."""

from envpool.tasks.registration import *  # noqa: F403 - the very same
