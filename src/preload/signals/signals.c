/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals, masks and alternate stacks, without what samples need of them. */
#include "preload/signals/signals.h"

#include <setjmp.h>
#include <string.h>
#include <sys/signalfd.h>
#include <ucontext.h>

#include "preload/signals/hold.h"

int plait_kept_signal;
__thread unsigned plait_interruptions __attribute__((tls_model("initial-exec")));

/* Calls of plait_hold() without plait_let_go(), and where on the stack the first was. */
static __thread int held __attribute__((tls_model("initial-exec")));
static __thread char* held_at __attribute__((tls_model("initial-exec")));
static __thread int in_sample __attribute__((tls_model("initial-exec")));
static __thread stack_t own_stack __attribute__((tls_model("initial-exec")));
static void (*sampler)(int, siginfo_t*, void*);
/* What the program sees as the action of the kept signal: the default, or to ignore it. */
static struct sigaction shown;

/* True if the sample ended a system call. One that the kernel restarts, or that has not begun, does
 * not count: its result may be due to a later signal of the program. */
static int ended_call(const void* context) {
#if defined(__x86_64__)
  const greg_t at = ((const ucontext_t*)context)->uc_mcontext.gregs[REG_RIP];
  const unsigned char call[] = {0x0f, 0x05}; /* syscall */
#elif defined(__aarch64__)
  const unsigned long long at = ((const ucontext_t*)context)->uc_mcontext.pc;
  const unsigned char call[] = {0x01, 0x00, 0x00, 0xd4}; /* svc #0 */
#endif
#if defined(__x86_64__) || defined(__aarch64__)
  /* What lies before a page need not be readable. */
  if ((unsigned long)at % 4096 < sizeof call) return 0;
  return memcmp((const char*)at - sizeof call, call, sizeof call) == 0;
#else
  /* The instruction is not known: each sample counts. */
  return context != NULL;
#endif
}

static void interrupt(int number, siginfo_t* info, void* context) {
  if (ended_call(context)) ++plait_interruptions;
  in_sample = 1;
  sampler(number, info, context);
  in_sample = 0;
}

static void change(int how) {
  const int error = errno;
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, plait_kept_signal);
  PLAIT_REAL(pthread_sigmask)(how, &own, NULL);
  errno = error;
}

/* A handler of the program may have left the call that holds the signal by a jump: then this frame
 * is above that call's. */
void plait_hold(void) {
  char* here = (char*)__builtin_frame_address(0);
  if (held && here > held_at) held = 0;
  if (held++) return;
  held_at = here;
  change(SIG_BLOCK);
}

void plait_let_go(void) {
  if (held > 0 && --held == 0) change(SIG_UNBLOCK);
}

const sigset_t* plait_with_kept(const sigset_t* set, sigset_t* copy) {
  if (!set || !plait_kept_signal) return set;
  *copy = *set;
  sigaddset(copy, plait_kept_signal);
  return copy;
}

static const sigset_t* without_kept(const sigset_t* set, sigset_t* copy) {
  if (!set || !plait_kept_signal) return set;
  *copy = *set;
  sigdelset(copy, plait_kept_signal);
  return copy;
}

/* Signals that the program uses, which are not taken again. */
static sigset_t used;

/* From the highest down: programs that use real-time signals begin with the lowest. */
static int take(void (*handler)(int, siginfo_t*, void*)) {
  for (int number = SIGRTMAX - 1; number > SIGRTMIN; --number) {
    struct sigaction known;
    if (sigismember(&used, number)) continue;
    if (PLAIT_REAL(sigaction)(number, NULL, &known) || known.sa_handler != SIG_DFL) continue;
    struct sigaction own = {0};
    sampler = handler;
    own.sa_sigaction = interrupt;
    own.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    if (PLAIT_REAL(sigaction)(number, &own, NULL)) continue;
    memset(&shown, 0, sizeof shown);
    plait_kept_signal = number;
    change(SIG_UNBLOCK);
    return number;
  }
  plait_kept_signal = 0;
  return 0;
}

static int set_stack(const stack_t* stack) {
  if (stack) {
    stack_t known;
    own_stack = *stack;
    /* The program's own has precedence. */
    if (!PLAIT_REAL(sigaltstack)(NULL, &known) && !(known.ss_flags & SS_DISABLE)) return 0;
    return PLAIT_REAL(sigaltstack)(stack, NULL);
  }
  stack_t known;
  const stack_t none = {.ss_flags = SS_DISABLE};
  if (!PLAIT_REAL(sigaltstack)(NULL, &known) && known.ss_sp == own_stack.ss_sp)
    PLAIT_REAL(sigaltstack)(&none, NULL);
  memset(&own_stack, 0, sizeof own_stack);
  return 0;
}

static int set_mask(int how, const sigset_t* set) {
  return PLAIT_REAL(pthread_sigmask)(how, set, NULL);
}

static void forget(void) {
  plait_kept_signal = 0;
}

PLAIT_EXPORT struct plait_signals plait_signals = {.version = PLAIT_SIGNALS_VERSION,
                                                   .take = take,
                                                   .set_stack = set_stack,
                                                   .set_mask = set_mask,
                                                   .forget = forget};

/* The program uses the kept signal from now on, so the samples take another one. */
static void lose(void) {
  const int number = plait_kept_signal;
  const struct sigaction ignored = {.sa_handler = SIG_IGN}, seen = shown;
  sigaddset(&used, number);
  if (plait_signals.signal_lost) plait_signals.signal_lost();
  if (plait_kept_signal == number) plait_kept_signal = 0;
  PLAIT_REAL(sigaction)(number, &ignored, NULL); /* what is pending is dropped */
  PLAIT_REAL(sigaction)(number, &seen, NULL);
}

/* The program blocks the signals of a set, or waits for them. Sets of all signals are common, and
 * do not mean that it uses each of them. */
static void lose_if_used(const sigset_t* set) {
  while (set && plait_kept_signal && sigismember(set, plait_kept_signal)) {
    int number = SIGRTMIN;
    while (number <= SIGRTMAX && sigismember(set, number)) ++number;
    if (number > SIGRTMAX) return;
    lose();
  }
}

PLAIT_EXPORT int sigaction(int number, const struct sigaction* action, struct sigaction* old) {
  if (number != plait_kept_signal || number == 0) return PLAIT_REAL(sigaction)(number, action, old);
  if (old) *old = shown;
  if (!action) return 0;
  if (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN) {
    shown = *action;
    return 0;
  }
  lose();
  return PLAIT_REAL(sigaction)(number, action, NULL);
}

PLAIT_EXPORT sighandler_t signal(int number, sighandler_t handler) {
  if (number != plait_kept_signal || number == 0) return PLAIT_REAL(signal)(number, handler);
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, number);
  return sigaction(number, &action, &old) ? SIG_ERR : old.sa_handler;
}

/* While the signal is held, it stays blocked; else it stays unblocked. */
static int change_mask(int how, const sigset_t* set, sigset_t* old) {
  sigset_t copy;
  if (how != SIG_UNBLOCK) lose_if_used(set);
  const sigset_t* given =
      how == SIG_SETMASK && held ? plait_with_kept(set, &copy) : without_kept(set, &copy);
  const int error = PLAIT_REAL(pthread_sigmask)(how, given, old);
  if (!error && old && plait_kept_signal) sigdelset(old, plait_kept_signal);
  return error;
}

PLAIT_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) {
  return change_mask(how, set, old);
}

PLAIT_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* old) {
  const int error = change_mask(how, set, old);
  if (!error) return 0;
  errno = error;
  return -1;
}

PLAIT_EXPORT int sigaltstack(const stack_t* stack, stack_t* old) {
  if (!own_stack.ss_sp) return PLAIT_REAL(sigaltstack)(stack, old);
  stack_t known;
  const int result = PLAIT_REAL(sigaltstack)(stack, &known);
  if (result) return result;
  if (stack && (stack->ss_flags & SS_DISABLE)) PLAIT_REAL(sigaltstack)(&own_stack, NULL);
  if (old && known.ss_sp == own_stack.ss_sp && !(known.ss_flags & SS_ONSTACK)) {
    memset(old, 0, sizeof *old);
    old->ss_flags = SS_DISABLE;
  } else if (old) {
    *old = known;
  }
  return 0;
}

PLAIT_EXPORT int sigwait(const sigset_t* set, int* number) {
  sigset_t copy;
  lose_if_used(set);
  if (!plait_kept_signal) return PLAIT_REAL(sigwait)(set, number);
  plait_hold();
  const int result = PLAIT_REAL(sigwait)(without_kept(set, &copy), number);
  plait_let_go();
  return result;
}

PLAIT_EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* info, const struct timespec* most) {
  sigset_t copy;
  lose_if_used(set);
  if (!plait_kept_signal) return PLAIT_REAL(sigtimedwait)(set, info, most);
  plait_hold();
  const int result = PLAIT_REAL(sigtimedwait)(without_kept(set, &copy), info, most);
  plait_let_go();
  return result;
}

PLAIT_EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  return sigtimedwait(set, info, NULL);
}

PLAIT_EXPORT int signalfd(int file, const sigset_t* set, int flags) {
  lose_if_used(set);
  return PLAIT_REAL(signalfd)(file, set, flags);
}

PLAIT_EXPORT int sigsuspend(const sigset_t* set) {
  sigset_t copy;
  return PLAIT_REAL(sigsuspend)(plait_with_kept(set, &copy));
}

/* A handler of the program that interrupted a sample leaves it: the signal must not stay blocked.
 */
static void leave_sample(void) {
  if (!in_sample) return;
  in_sample = 0;
  if (plait_kept_signal && !held) change(SIG_UNBLOCK);
}

#define PLAIT_JUMP(name, buffer_type)                     \
  PLAIT_EXPORT void name(buffer_type buffer, int value) { \
    leave_sample();                                       \
    PLAIT_REAL(name)(buffer, value);                      \
    __builtin_unreachable();                              \
  }
void __longjmp_chk(jmp_buf buffer, int value) __attribute__((noreturn));
PLAIT_JUMP(longjmp, jmp_buf)
PLAIT_JUMP(_longjmp, jmp_buf)
PLAIT_JUMP(siglongjmp, sigjmp_buf)
PLAIT_JUMP(__longjmp_chk, jmp_buf)
