"""Packages that only some users need, and how those get them."""

from __future__ import annotations


def install(extra: str) -> str:
    """The command that installs what an extra of ours names, wherever ours came from.

    Args:
        extra: One of ``[project.optional-dependencies]``, such as ``render``.
    """
    return f'pip install "envpool-next[{extra}]"'
