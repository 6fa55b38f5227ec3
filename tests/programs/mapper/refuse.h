/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes MPI calls and allocations of the mapper fail, as an MPI library would fail them. Sits
   between the mapper and the MPI library; calls of the program itself do not fail. */
#ifndef PLAIT_TESTS_REFUSE_H
#define PLAIT_TESTS_REFUSE_H

/* From now on the mapper's MPI call with this number fails: it is carried out, but raises an error
   on its communicator. 0: none fails. The variable REFUSE_CALL sets the initial number. */
void refuse_call(int number);

/* From now on the mapper gets at most this number of blocks of memory. -1: no limit. */
void refuse_memory_after(int blocks);

/* True if anything failed since the last of these calls. */
int has_refused(void);

#endif
