"""What the command line tells of environments written in Python."""

from __future__ import annotations

from typer.testing import CliRunner

from envpool.cli import app


def test_gymnasiums_environments_can_be_shown() -> None:
    shown = CliRunner().invoke(app, ["show", "gymnasium:Blackjack-v1"])
    assert shown.exit_code == 0, shown.output
    for text in ("Python, Blackjack-v1", "Discrete(32)", "num_workers", "env_kwargs"):
        assert text in shown.output
    unknown = CliRunner().invoke(app, ["show", "no_module:Blackjack-v1"])
    assert unknown.exit_code == 1
    assert "no_module" in unknown.output
