"""``python -m envpool``; see :mod:`envpool.cli`."""

import sys

from envpool.sdk import get_cmake_dir, get_include
from envpool.tasks.plugins import leave_plugins_out

_PATHS = {"--cmake-dir": get_cmake_dir, "--include-dir": get_include}


def main(name: str | None = None) -> None:
    """Runs the command line of this process.

    Args:
        name: What it was called by, if not by the name of its file.
    """
    if len(sys.argv) == 2 and sys.argv[1] in _PATHS:  # noqa: PLR2004 - the program and one argument
        _print_path(sys.argv[1])
        return
    if _is_doctor():
        leave_plugins_out()  # it tries them in other processes
    try:
        from envpool import cli
    except Exception as error:  # of packages that are missing or broken
        _tell_of_broken_installation(error)
    else:
        cli.main(name)


def _is_doctor() -> bool:
    return sys.argv[1:2] == ["doctor"]


def _print_path(option: str) -> None:
    """For other people's builds, which must not wait for the command line's packages."""
    try:
        print(_PATHS[option]())
    except ImportError as error:
        sys.exit(f"error: {error}")


def _tell_of_broken_installation(error: Exception) -> None:
    """What there is without the command line: the doctor, who needs only the standard library."""
    if _is_doctor():
        from envpool.doctor import plain

        plain.main(error)
    sys.exit(
        f"error: the command line does not load: {type(error).__name__}: {error}; "
        "python -m envpool doctor tells what is wrong with the installation"
    )


if __name__ == "__main__":
    main("python -m envpool")
