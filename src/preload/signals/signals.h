/* SPDX-License-Identifier: BSD-3-Clause */
/* What libplait-signals.so and the preload object that samples know of each other.
 *
 * The former defines functions of the C library that deal with signals, so that a program which is
 * interrupted by samples behaves as one which is not. It is a separate object, because only runs
 * with samples need it. The other object finds `plait_signals` with dlsym. */
#ifndef PLAIT_PRELOAD_SIGNALS_H
#define PLAIT_PRELOAD_SIGNALS_H

#include <signal.h>

#define PLAIT_SIGNALS_VERSION 2

struct plait_signals {
  int version;
  /* Set by libplait-signals.so. */
  /* Installs the handler for a real-time signal that nothing else handles, on the alternate stack.
   * Returns the signal, which is unblocked in the calling thread; 0: there is none left. */
  int (*take)(void (*handler)(int, siginfo_t*, void*));
  /* Like sigaltstack(2) and pthread_sigmask(3), of which the program sees nothing. */
  int (*set_stack)(const stack_t* stack);
  int (*set_mask)(int how, const sigset_t* set);
  /* The program is forked: from now on, nothing is kept from it. */
  void (*forget)(void);
  /* Set by the object that samples; may be null. */
  /* The program handles the signal itself from now on: another one must be taken. */
  void (*signal_lost)(void);
};

#endif /* PLAIT_PRELOAD_SIGNALS_H */
