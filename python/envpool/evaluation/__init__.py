"""Evaluation: how good a policy is, by a number of episodes that nothing else decides."""

from envpool.evaluation.comparison import Comparison, compare
from envpool.evaluation.evaluation import Evaluation
from envpool.evaluation.running import evaluate

__all__ = ["Comparison", "Evaluation", "compare", "evaluate"]
