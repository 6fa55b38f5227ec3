/* SPDX-License-Identifier: BSD-3-Clause */
/* The function file of a preloaded process, HOST-PID-ID.functions beside its record: calls and
 * times of instrumented functions; written by src/preload/functions, read by src/trace.
 *
 * Memory-mapped and little-endian, as the record file. All offsets are bytes from the start of the
 * file. Times are ticks of the record's clock. */
#ifndef PLAIT_TRACE_FUNCTION_FORMAT_H
#define PLAIT_TRACE_FUNCTION_FORMAT_H

#include <stdint.h>

#define PLAIT_FUNCTIONS_MAGIC 0x31434e554654504cULL /* "LPTFUNC1" in memory order */
#define PLAIT_FUNCTIONS_VERSION 1u
#define PLAIT_FUNCTIONS_IN_CHUNK 64u
#define PLAIT_FUNCTION_CHUNKS 128u
#define PLAIT_MOST_FUNCTIONS (PLAIT_FUNCTIONS_IN_CHUNK * PLAIT_FUNCTION_CHUNKS)

struct plait_functions_header {
  uint64_t magic;
  uint32_t version;
  uint32_t header_bytes;
  uint64_t file_bytes;     /* of the file */
  uint64_t first_function; /* offset of a struct plait_function_entry; 0: none */
  uint64_t first_thread;   /* offset of a struct plait_function_thread; 0: none */
  uint32_t functions;      /* entries of the list */
  uint32_t lost;           /* functions and threads for which there was no room */
  double ticks_per_s;      /* of the record's clock */
};

/* Too short and too frequent: its calls are not recorded any more. */
#define PLAIT_FUNCTION_OFF 1u

struct plait_function_entry {
  uint64_t next;    /* offset of the entry with the number below; 0: none */
  uint64_t address; /* ELF virtual address in its module */
  uint32_t number;  /* index into the threads' counts */
  uint32_t module;  /* offset of the path of the ELF file, NUL-terminated */
  uint32_t flags;
  uint32_t pad_;
};

/* A function on one thread. A call that is left by exit() or by the end of its thread ends there.
 * Recursive calls are part of the outermost call's inclusive time. */
struct plait_function_count {
  uint64_t calls;
  uint64_t inclusive_ticks;
  uint64_t exclusive_ticks; /* without the recorded functions that it calls */
};

/* A thread; one that has ended may be continued by a later thread. */
struct plait_function_thread {
  uint64_t next;                          /* offset of another one; 0: none */
  int32_t tid;                            /* of the latest thread */
  uint32_t number;                        /* 0: the first one that called a recorded function */
  uint64_t chunks[PLAIT_FUNCTION_CHUNKS]; /* plait_function_count[PLAIT_FUNCTIONS_IN_CHUNK] each */
};

#endif /* PLAIT_TRACE_FUNCTION_FORMAT_H */
