"""All tests here are of scripts for an old gym, run with the variable that they need."""

import pytest


@pytest.fixture(autouse=True)
def _wants_old_gym(monkeypatch):
    monkeypatch.setenv("ENVPOOL_OLD_GYM", "1")
