"""The command line: ``python -m envpool list``, ``show``, ``bench``, ``check`` and so on.

Nothing else in the package imports it, because Typer and Rich take longer to load than envpool.
"""

from collections.abc import Callable

import typer

from envpool.cli import bench, check, evaluate, fetch, film, new_family, play, replay, tasks, verify
from envpool.cli.console import errors_as_messages

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
    "list": tasks.list_tasks,
    "show": tasks.show_task,
    "bench": bench.bench_task,
    "check": check.check_task,
    "verify": verify.verify_tasks,
    "doctor": check.examine_installation,
    "fetch": fetch.fetch_engine,
    "play": play.play_task,
    "film": film.film_task,
    "evaluate": evaluate.evaluate_task,
    "replay": replay.replay_recording,
    "new-family": new_family.write_family,
}
for _name, _command in _COMMANDS.items():
    app.command(_name)(errors_as_messages()(_command))


def main(name: str | None = None) -> None:
    """Run the command line of this process.

    Args:
        name: What it was called by, if not by the name of its file.

    """
    app(prog_name=name)
