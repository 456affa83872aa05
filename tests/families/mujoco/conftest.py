"""Fixtures of the tests of tasks with models of one's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from envpool.tasks.registry import registry


@pytest.fixture(scope="module")
def own_registry() -> Iterator[None]:
    """Tasks that these tests register are not among those that other tests ask for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "tasks", dict(registry.tasks))
        yield
