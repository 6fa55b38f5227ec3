/* SPDX-License-Identifier: BSD-3-Clause */
/* Names parts of an MPI program, so that `plait run` tells its time by them.
 *
 *     #include <plait/region.h>
 *     plait_region_begin("exchange");
 *     ...
 *     plait_region_end("exchange");
 *
 * Regions nest; each thread has its own. No library is needed: the names travel by MPI_Pcontrol,
 * which does nothing when the program runs without Plait. So regions lie between MPI_Init and
 * MPI_Finalize. */
#ifndef PLAIT_REGION_H
#define PLAIT_REGION_H

#include <mpi.h>

#include "plait/region_levels.h"

/* Enters a region.
 * name: up to 128 characters; the same text is the same region within the one around it. */
static inline void plait_region_begin(const char* name) {
  (void)MPI_Pcontrol(PLAIT_REGION_BEGIN, name);
}

/* Leaves the innermost region of that name, and regions within it that were not left.
 * name: as given to plait_region_begin. */
static inline void plait_region_end(const char* name) {
  (void)MPI_Pcontrol(PLAIT_REGION_END, name);
}

#endif /* PLAIT_REGION_H */
