"""Our own tasks pass the checks."""

import pytest

from envpool.checks import check_task
from helpers import skipping_without_engine
from opengl import find_backend
from own_tasks import environment, like_gymnasium, one_per_environment


@pytest.mark.long
@pytest.mark.parametrize("task_id", skipping_without_engine(one_per_environment()))
def test_each_environment_passes_all_checks(task_id):
    skip = set(like_gymnasium(task_id))
    if environment(task_id).startswith("Gym") and not find_backend()[0]:
        skip.add("pictures")  # MuJoCo's need OpenGL
    assert not check_task(task_id, quick=True, skip=skip).failed
