/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps the signal of samples from the system calls of the program. */
#ifndef PLAIT_PRELOAD_HOLD_H
#define PLAIT_PRELOAD_HOLD_H

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>

#define PLAIT_EXPORT __attribute__((visibility("default"), used))

/* The signal of samples; 0: none. */
extern int plait_kept_signal;

/* How many samples ended system calls of the calling thread. */
extern __thread unsigned plait_interruptions __attribute__((tls_model("initial-exec")));

/* Holds the signal back in the calling thread, and lets it go. Pairs may be nested. errno stays as
 * it is. */
void plait_hold(void);
void plait_let_go(void);

/* A copy of the set with the signal of samples: what the kernel is to block. */
const sigset_t* plait_with_kept(const sigset_t* set, sigset_t* copy);

/* `name` as it is without this object. */
#define PLAIT_REAL(name)                                                \
  __extension__({                                                       \
    static __typeof__(&name) real;                                      \
    __typeof__(&name) known = __atomic_load_n(&real, __ATOMIC_RELAXED); \
    if (!known) {                                                       \
      known = (__typeof__(&name))dlsym(RTLD_NEXT, #name);               \
      __atomic_store_n(&real, known, __ATOMIC_RELAXED);                 \
    }                                                                   \
    known;                                                              \
  })

/* A function that returns early when a signal is handled, even with SA_RESTART; see signal(7).
 * `may_wait`: it does not return at once. */
#define PLAIT_HELD(type, name, parameters, arguments, may_wait)               \
  PLAIT_EXPORT type name parameters {                                         \
    if (!plait_kept_signal || !(may_wait)) return PLAIT_REAL(name) arguments; \
    plait_hold();                                                             \
    const type result = PLAIT_REAL(name) arguments;                           \
    plait_let_go();                                                           \
    return result;                                                            \
  }

#endif /* PLAIT_PRELOAD_HOLD_H */
