"""Atari's games and ALE side by side: memory and screen are equal after every frame."""

import pytest

from atari_oracle import TASKS, Reference, compare, run_in_lockstep, screens

STICKY = {"repeat_action_probability": 0.25}
FULL = {"full_action_space": True}


@pytest.mark.slow
@pytest.mark.parametrize("task_id", TASKS)
def test_frames(task_id):
    run_in_lockstep(task_id, 150, seed=4, **STICKY, **FULL)


# Together 100,000 frames of each game.
@pytest.mark.long
@pytest.mark.parametrize("options", [{}, STICKY, FULL, STICKY | FULL], ids=str)
@pytest.mark.parametrize("task_id", TASKS)
def test_many_frames(task_id, options):
    run_in_lockstep(task_id, 25_000, seed=5, max_episode_steps=20_000, **options)


@pytest.mark.long
@pytest.mark.parametrize("task_id", TASKS)
def test_all_modes_and_difficulties(task_id):
    ale = Reference(task_id, 0).ale
    for mode in ale.getAvailableModes():
        for difficulty in ale.getAvailableDifficulties():
            run_in_lockstep(task_id, 100, seed=6, mode=mode, difficulty=difficulty, **STICKY)


# Of a step's frames, only the last two are painted: what others leave on the screen may be seen.
@pytest.mark.long
@pytest.mark.parametrize("frame_skip", [2, 3, 4, 7])
@pytest.mark.parametrize("task_id", TASKS)
def test_frames_that_are_not_painted(task_id, frame_skip):
    options = screens(task_id) | {"terminal_on_life_loss": True}
    compare(task_id, 20_000 // frame_skip, seed=7, frame_skip=frame_skip, **options)
