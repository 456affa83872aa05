"""``python -m envpool``; see :mod:`envpool.cli`."""

from envpool.cli import app

app(prog_name="python -m envpool")
