"""The tasks for tests. They are not among the tasks that ``import envpool`` adds."""

from envpool.tasks.registration import register_family_task

for _name in (
    *("Canvas", "Counting", "Failing", "Faulty", "Lives", "Masked"),
    *("Picture", "PixelCanvas", "Players", "Sleeping", "Structured"),
):
    register_family_task("envpool.families.testing", f"testing/{_name}-v0", _name)
