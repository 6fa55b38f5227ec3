/* SPDX-License-Identifier: BSD-3-Clause */
/* In the build of `make coverage`: keeps the counters of processes that end without exit(3), or
   wait until they are killed. The linker puts these in the place of the functions (--wrap). */
#include <sys/types.h>

#pragma GCC visibility push(hidden)
void __wrap__exit(int code);
int __wrap_pause(void);
pid_t __wrap_waitpid(pid_t process, int* status, int options);
#pragma GCC visibility pop

void __gcov_dump(void);
void __gcov_reset(void);
void __real__exit(int code);
int __real_pause(void);
pid_t __real_waitpid(pid_t process, int* status, int options);

/* Adds the counters so far to the files; under a lock, because other processes do the same. */
static void keep_counters(void) {
  __gcov_dump();
  __gcov_reset();
}

void __wrap__exit(int code) {
  keep_counters();
  __real__exit(code);
}

int __wrap_pause(void) {
  keep_counters();
  return __real_pause();
}

/* The first process of an emulated cluster waits for any child until it is killed. */
pid_t __wrap_waitpid(pid_t process, int* status, int options) {
  if (process == -1 && options == 0) keep_counters();
  return __real_waitpid(process, status, options);
}
