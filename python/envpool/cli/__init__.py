"""The command line: ``python -m envpool list``, ``show``, ``bench``, ``check`` and so on.

Nothing else in the package imports it, because Typer and Rich take longer to load than envpool.
"""

import io
import sys
from collections.abc import Callable

import typer

from envpool.cli.bench import bench_task
from envpool.cli.check import check_task, examine_installation
from envpool.cli.console import errors_as_messages
from envpool.cli.evaluate import evaluate_task
from envpool.cli.fetch import fetch_engine
from envpool.cli.film import film_task
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
_COMMANDS: dict[str, Callable[..., None]] = {
    "list": list_tasks,
    "show": show_task,
    "bench": bench_task,
    "check": check_task,
    "verify": verify_tasks,
    "doctor": examine_installation,
    "fetch": fetch_engine,
    "play": play_task,
    "film": film_task,
    "evaluate": evaluate_task,
    "replay": replay_recording,
    "new-family": write_family,
}
for _name, _command in _COMMANDS.items():
    app.command(_name)(errors_as_messages()(_command))


def main(name: str | None = None) -> None:
    """Run the command line of this process.

    Args:
        name: What it was called by, if not by the name of its file.

    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")  # of what its encoding lacks
    app(prog_name=name)
