/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks `plait run --remap` to decide now where the ranks of an MPI program should run.
 *
 * A program calls it where its communication changes, so that ranks move before an interval has
 * passed. No library is needed, and without `plait run --remap` it does nothing but count as a
 * region. */
#ifndef PLAIT_REMAP_H
#define PLAIT_REMAP_H

#include "plait/region.h"

/* The name of the region that asks; MPI_Pcontrol(1, "plait_remap") and MPI_Pcontrol(-1,
 * "plait_remap") do the same without this file. */
#define PLAIT_REMAP_REGION "plait_remap"

/* Asks for a decision. Local, and returns at once; to be called by all ranks, since Plait looks at
 * the first one on each node. Plait decides within 0.2 s, by the messages that the ranks have sent
 * since its last decision. */
static inline void plait_remap(void) {
  plait_region_begin(PLAIT_REMAP_REGION);
  plait_region_end(PLAIT_REMAP_REGION);
}

#endif /* PLAIT_REMAP_H */
