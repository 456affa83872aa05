"""Small environments with known answers, for tests of pools and of trainers.

Import ``envpool.testing.registration`` to register their tasks.
"""

from envpool.families import export

globals().update(export("envpool.testing._testing", __name__))
