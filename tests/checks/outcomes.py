"""The outcomes of checks that run in this process."""

from envpool.checks.checks import run_checks


def outcomes_of(subject, names):
    """Runs checks, and returns an outcome of each."""
    return list({outcome.check: outcome for outcome in run_checks(subject, names)}.values())
