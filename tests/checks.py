# SPDX-License-Identifier: MIT
"""What tests in Python share: they check sentence after sentence, and finish with the failures and an exit code."""
import sys

_failures = []
_checks = 0


def check(condition, sentence):
    """Counts a check, and keeps the sentence as a failure when the condition is false."""
    global _checks
    _checks += 1
    if not condition:
        _failures.append(sentence)


def finish():
    """Prints the failures and the number of checks, and ends the program: with 1 if a check failed or none was made."""
    for failure in _failures:
        print("failed:", failure, file=sys.stderr)
    print(f"{_checks} checks, {len(_failures)} failed")
    sys.exit(1 if _failures or not _checks else 0)
