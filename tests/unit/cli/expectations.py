# SPDX-License-Identifier: BSD-3-Clause
"""Expectations of a test script, which goes on after a failure and reports all at its end."""

failures = []


def expect(condition, text):
    """Notes a failure."""
    if not condition:
        failures.append(text)


def exit_code():
    """Prints the failures; 1 if there are any."""
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0
