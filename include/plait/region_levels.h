/* SPDX-License-Identifier: BSD-3-Clause */
/* The levels of MPI_Pcontrol by which a program names its regions to Plait. */
#ifndef PLAIT_REGION_LEVELS_H
#define PLAIT_REGION_LEVELS_H

#define PLAIT_REGION_BEGIN 1347179586 /* "PLTB" */
#define PLAIT_REGION_END 1347179589   /* "PLTE" */

#endif /* PLAIT_REGION_LEVELS_H */
