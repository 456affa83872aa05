"""``python -m envpool``; see :mod:`envpool.cli`."""

import signal
import sys

from envpool.errors import described
from envpool.machine import own_version
from envpool.sdk import get_cmake_dir, get_include

_PATHS = {"--cmake-dir": get_cmake_dir, "--include-dir": get_include}


def main(name: str | None = None) -> None:
    """Runs the command line of this process.

    Args:
        name: What it was called by, if not by the name of its file.
    """
    # A script has only its own folder there, and a task may be a module of the user's.
    sys.path.append("")
    try:
        _run(name)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def _run(name: str | None) -> None:
    if sys.argv[1:] == ["--version"]:  # here, so that it also works where the rest does not
        print(f"envpool-next {own_version()}")
        return
    if len(sys.argv) == 2 and sys.argv[1] in _PATHS:  # noqa: PLR2004 - the program and one argument
        _print_path(sys.argv[1])
        return
    if sys.argv[1:] in (["doctor"], ["doctor", "--report"]):
        from envpool.doctor.report import examine_installation

        sys.exit(examine_installation(as_markdown="--report" in sys.argv))
    try:
        from envpool import cli
    except Exception as error:  # of packages that are missing or broken
        sys.exit(
            f"error: the command line does not load: {described(error)}; "
            "python -m envpool doctor tells what is wrong with the installation"
        )
    else:
        cli.main(name)


def _print_path(option: str) -> None:
    """For other people's builds, which must not wait for the command line's packages."""
    try:
        print(_PATHS[option]())
    except ImportError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main("python -m envpool")
