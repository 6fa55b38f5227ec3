/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of Python among the return addresses of a call site: written by src/preload, read by
 * src/trace. */
#ifndef PLAIT_TRACE_PYTHON_FORMAT_H
#define PLAIT_TRACE_PYTHON_FORMAT_H

#include <stdint.h>

/* Such a frame: this bit, and the offset of the string "LINE FUNCTION\nFILE" in STRINGS. */
#define PLAIT_PYTHON_FRAME (1ULL << 63)

#endif /* PLAIT_TRACE_PYTHON_FORMAT_H */
