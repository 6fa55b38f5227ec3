# SPDX-License-Identifier: BSD-3-Clause
"""Reads Plait traces into numpy arrays.

    import plait_trace
    trace = plait_trace.read("plait-runs/app-20261120-120000")
    events = trace.ranks[0].events
    sends = events[events["function"] == trace.functions.index("MPI_Send")]
    print(sends["bytes"].sum(), (sends["end"] - sends["begin"]).mean(), "ns")

Needs numpy and one of: Python 3.14, the module zstandard, or the system's libzstd.so.1. Reads
packed traces (RUN/trace/*.ptrace), which docs/reference/formats.md describes. For matched
messages, use `plait export`.
"""

from ._trace import Rank, Trace, read
from ._packed import EVENT_KINDS, FormatError

__all__ = ["EVENT_KINDS", "FormatError", "Rank", "Trace", "read"]
