"""Small environments with known answers, for tests of pools and of trainers.

Import ``envpool.families.testing.registration`` to register their tasks.
"""

from envpool.tasks.export import lazy_export

__getattr__, __dir__ = lazy_export(
    "envpool.families.testing._testing", __name__, infos="envpool.families.testing.infos"
)
