"""The command line: ``python -m envpool list``, ``show``, ``bench``, ``check`` and so on.

Nothing else in the package imports it, because Typer and Rich take longer to load than envpool.
"""

import typer

from envpool.cli.bench import bench_task
from envpool.cli.check import check_task, examine_installation
from envpool.cli.console import run
from envpool.cli.fetch import fetch_engine
from envpool.cli.film import film_task, record_task
from envpool.cli.new_family import write_family
from envpool.cli.play import play_task
from envpool.cli.replay import replay_recording
from envpool.cli.tasks import list_tasks, show_task
from envpool.cli.verify import verify_tasks

app = typer.Typer(
    help="Vectorised reinforcement-learning environments.",
    # Before this package is loaded, envpool.__main__ answers them.
    epilog="envpool --version prints the version, with the commit that it was built from; "
    "--cmake-dir and --include-dir print where the SDK for packages of environments is.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command("list")(list_tasks)
app.command("show")(show_task)
app.command("bench")(bench_task)
app.command("check")(check_task)
app.command("verify")(verify_tasks)
app.command("doctor")(examine_installation)
app.command("fetch")(fetch_engine)
app.command("play")(play_task)
app.command("film")(film_task)
app.command("record", hidden=True)(record_task)
app.command("replay")(replay_recording)
app.command("new-family")(write_family)


def main(name: str | None = None) -> None:
    """Run the command line of this process.

    Args:
        name: What it was called by, if not by the name of its file.

    """
    run(lambda: app(prog_name=name))
