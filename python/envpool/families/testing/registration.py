"""The tasks for tests, one call each. They are not among the tasks that ``import envpool`` adds."""

from functools import partial

from envpool.tasks.registration import register_family_task

_register = partial(register_family_task, "envpool.families.testing")

_register("testing/Canvas-v0", "Canvas")
_register("testing/Counting-v0", "Counting")
_register("testing/Failing-v0", "Failing")
_register("testing/Faulty-v0", "Faulty")
_register("testing/Lives-v0", "Lives")
_register("testing/Picture-v0", "Picture")
_register("testing/PixelCanvas-v0", "PixelCanvas")
_register("testing/Players-v0", "Players")
_register("testing/Sleeping-v0", "Sleeping")
_register("testing/Structured-v0", "Structured")
