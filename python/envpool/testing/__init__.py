"""Small environments with known answers, for tests of pools and of trainers.

Import ``envpool.testing.registration`` to register their tasks.
"""

from envpool.families import lazy_export

__getattr__, __dir__ = lazy_export("envpool.testing._testing", __name__)
