/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI_Pcontrol levels of regions. Separate from region.h because it needs no MPI header. */
#ifndef PLAIT_REGION_LEVELS_H
#define PLAIT_REGION_LEVELS_H

#define PLAIT_REGION_BEGIN 1347179586 /* "PLTB" */
#define PLAIT_REGION_END 1347179589   /* "PLTE" */

#endif /* PLAIT_REGION_LEVELS_H */
