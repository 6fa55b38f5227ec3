/* SPDX-License-Identifier: BSD-3-Clause */
/* A function that looks like one of MPI's. */
int MPI_Plait_unknown(void);
int MPI_Plait_unknown(void) {
  return 42;
}
