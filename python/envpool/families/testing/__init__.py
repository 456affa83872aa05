"""Small environments with known answers, for tests of pools and of trainers.

Import ``envpool.families.testing.registration`` to register their tasks.
"""

from envpool.spec.infos import InfoRules, InfoTable
from envpool.tasks.export import lazy_export

INFOS: InfoTable = {"Lives": InfoRules(only_envpool=("life",), only_gymnasium=("game",))}

__getattr__, __dir__ = lazy_export("envpool.families.testing._testing", __name__, infos=__name__)
