/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes what the mapper needs fail, for real: MPI calls as an MPI library would fail them, and
   memory. Between the mapper and the MPI library; nothing of the program's own is refused. */
#ifndef PLAIT_TESTS_REFUSE_H
#define PLAIT_TESTS_REFUSE_H

/* From now on the mapper's MPI call of this number fails: done, but with an error that is raised on
   its communicator. 0: none does. The variable REFUSE_CALL has the number from the start on. */
void refuse_call(int number);

/* From now on the mapper gets this number of blocks of memory and no more. -1: all it wants. */
void refuse_memory_after(int blocks);

/* Was anything refused since the last of these calls? */
int has_refused(void);

#endif
