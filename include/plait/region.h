/* SPDX-License-Identifier: BSD-3-Clause */
/* Names regions of an MPI program, so that `plait run` reports its time by region.
 *
 *     #include <plait/region.h>
 *     plait_region_begin("exchange");
 *     ...
 *     plait_region_end("exchange");
 *
 * Regions nest; each thread has its own. No library is needed: the names are passed to
 * MPI_Pcontrol, which does nothing if the program runs without Plait. Regions must be between
 * MPI_Init and MPI_Finalize. */
#ifndef PLAIT_REGION_H
#define PLAIT_REGION_H

#include <mpi.h>

#include "plait/region_levels.h"

/* Enters a region. Local.
 * name: up to 128 characters; the same name within the same region is the same region. */
static inline void plait_region_begin(const char* name) {
  (void)MPI_Pcontrol(PLAIT_REGION_BEGIN, name);
}

/* Leaves the innermost region with this name, and all regions within it. Local.
 * name: as passed to plait_region_begin(). */
static inline void plait_region_end(const char* name) {
  (void)MPI_Pcontrol(PLAIT_REGION_END, name);
}

#endif /* PLAIT_REGION_H */
