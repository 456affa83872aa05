"""What checks find that run in this process."""

import re

from envpool.checks.checks import run_checks


def outcomes_of(subject, names):
    """Runs checks, and returns an outcome of each."""
    return list({outcome.check: outcome for outcome in run_checks(subject, names)}.values())


def found_in(subject, names):
    """The findings of checks."""
    return [each for outcome in outcomes_of(subject, names) for each in outcome.findings]


def failed_in(subject, names):
    """The names of the checks that find a fault."""
    return {outcome.check for outcome in outcomes_of(subject, names) if outcome.faults}


def assert_found(subject, check, message, kind):
    """A check finds what is planted, and says so."""
    found = found_in(subject, [check])
    assert found, "nothing was found"
    assert {finding.kind for finding in found} == {kind}
    assert re.search(message, found[0].message, re.S), found[0].message
    assert bool(found[0].hint) == (kind == "fault")
