# SPDX-License-Identifier: BSD-3-Clause
"""This machine with a small last cache, for tests that run plait measure: its arrays are four times
as large as that cache, which can be gigabytes."""
import ctypes
import ctypes.util
import os
import re
import tempfile

LAST_CACHE_BYTES = 16 << 20
INCLUDE_DISALLOWED = 1  # as plait has it: hardware threads keep their numbers


def small_caches(folder):
    """Environment variables by which hwloc finds this machine, but with caches of at most
    LAST_CACHE_BYTES; none if hwloc's library is missing. Writes a file into the folder."""
    name = ctypes.util.find_library("hwloc")
    if name is None:
        return {}
    hwloc = ctypes.CDLL(name)
    topology = ctypes.c_void_p()
    handle, file = tempfile.mkstemp(suffix=".xml", dir=folder)
    os.close(handle)
    if (hwloc.hwloc_topology_init(ctypes.byref(topology)) != 0
            or hwloc.hwloc_topology_set_flags(topology, ctypes.c_ulong(INCLUDE_DISALLOWED)) != 0
            or hwloc.hwloc_topology_load(topology) != 0
            or hwloc.hwloc_topology_export_xml(topology, file.encode(), ctypes.c_ulong(0)) != 0):
        raise RuntimeError("hwloc cannot write this machine's topology")
    hwloc.hwloc_topology_destroy(topology)
    with open(file, encoding="utf-8") as text:
        xml = text.read()
    with open(file, "w", encoding="utf-8") as text:
        text.write(re.sub(r'\bcache_size="(\d+)"', lambda size: 'cache_size="%d"' % min(
            int(size[1]), LAST_CACHE_BYTES), xml))
    return {"HWLOC_XMLFILE": file, "HWLOC_THISSYSTEM": "1"}
