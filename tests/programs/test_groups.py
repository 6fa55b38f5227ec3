# SPDX-License-Identifier: BSD-3-Clause
"""Runs one group of a file's tests; for tests that may need emulated nodes."""
import sys
import unittest

SKIPPED = 77  # plait's exit code, and a test's, where the system lacks something


class NoNodes(Exception):
    """This system emulates no nodes."""


def run_group(groups):
    """Ends this process: with success, failure or SKIPPED.

    groups: {name: [classes of tests]}; the first argument of the command is the name.
    """
    suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(case)
                               for case in groups[sys.argv[1]])
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    if any("NoNodes" in trace for _, trace in result.errors):
        print("skipped: this system cannot emulate nodes")
        sys.exit(SKIPPED)
    sys.exit(not result.wasSuccessful())
