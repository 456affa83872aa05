"""The doctor: finds what is missing, broken or in the way here; see docs/doctor.md.

Here the standard library is all that is needed, since anything else may be broken: modules that
load more do so inside of functions, and whatever these raise is a finding.
"""
