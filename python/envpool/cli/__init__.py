"""The command line: ``python -m envpool list``, ``show``, ``bench``, ``play``, ``record``.

Nothing else in the package imports it, because Typer and Rich take longer to load than envpool.
"""

import typer

from envpool.cli.bench import bench_task
from envpool.cli.listing import list_tasks
from envpool.cli.play import play_task
from envpool.cli.record import record_task
from envpool.cli.show import show_task

app = typer.Typer(
    help="Vectorised reinforcement-learning environments.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command("list")(list_tasks)
app.command("show")(show_task)
app.command("bench")(bench_task)
app.command("play")(play_task)
app.command("record")(record_task)
