/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of the call stacks of a process, HOST-PID-ID.smp beside its record: written by
 * src/preload, read by src/samples.
 *
 * One file per process, memory-mapped, little-endian; it grows with its contents, and a killed
 * process leaves what it had written. Each thread that is sampled writes to a table of its own,
 * which a later thread may continue when it has ended. All offsets are bytes from the start of the
 * file. An entry is written before the count of its section grows.
 *
 * The nodes of a table are a tree of return addresses, from the outermost to the innermost frame.
 * Samples are counted per node, thread, region and state. In a run with --trace each also has its
 * time, as long as there is room for times. */
#ifndef PLAIT_TRACE_SAMPLE_FORMAT_H
#define PLAIT_TRACE_SAMPLE_FORMAT_H

#include <stdint.h>

#include "trace/python_format.h"
#include "trace/record_format.h"

#define PLAIT_SAMPLES_MAGIC 0x31504d535354504cULL /* "LPTSSMP1" in memory order */
#define PLAIT_SAMPLES_VERSION 2u                  /* 1: without TIMES */
#define PLAIT_MOST_SAMPLE_TABLES 448

/* Of an address: the instruction itself, not one behind a call. */
#define PLAIT_EXACT_ADDRESS (1ULL << 62)

enum plait_sample_clock { PLAIT_SAMPLE_CPU = 1, PLAIT_SAMPLE_WALL = 2 };

enum plait_sample_state {
  PLAIT_SAMPLE_CODE = 0,
  PLAIT_SAMPLE_MPI = 1,     /* inside MPI */
  PLAIT_SAMPLE_IDLE = 2,    /* waits in an OpenMP region */
  PLAIT_SAMPLE_WAITING = 3, /* for a CPU */
  PLAIT_SAMPLE_STATES = 4
};

enum plait_sample_section {
  PLAIT_SAMPLE_NODES = 0,   /* struct plait_stack_node; 0: nothing, 1: what was not followed */
  PLAIT_SAMPLE_COUNTS = 1,  /* struct plait_sample_count; 0 is not used */
  PLAIT_SAMPLE_LINES = 2,   /* struct plait_python_line; 0: a line without a name */
  PLAIT_SAMPLE_MODULES = 3, /* struct plait_sample_module */
  PLAIT_SAMPLE_TEXT = 4,    /* NUL-terminated strings, each within one part; 0 is "" */
  PLAIT_SAMPLE_THREADS = 5, /* struct plait_sampled_thread */
  PLAIT_SAMPLE_TIMES = 6,   /* struct plait_sample_time; since version 2 */
  PLAIT_SAMPLE_SECTIONS = 7
};

/* The parent of a stack whose outer frames are not known. */
#define PLAIT_NODE_TRUNCATED 1u

struct plait_samples_header { /* 4096 bytes */
  uint64_t magic;
  uint32_t version;
  uint32_t header_bytes;
  uint64_t file_bytes;
  double rate_hz;
  uint32_t clock; /* enum plait_sample_clock */
  int32_t pid;
  uint32_t signal;            /* in use */
  uint32_t tables;            /* published */
  uint64_t unsampled_threads; /* threads for which there was no table or no timer */
  double ticks_per_s;         /* of the times in the file */
  uint64_t pad_[56];
  uint64_t table_offsets[PLAIT_MOST_SAMPLE_TABLES]; /* of struct plait_sample_table */
};

struct plait_sample_table {
  struct plait_section_header sections[PLAIT_SAMPLE_SECTIONS];
};

struct plait_stack_node { /* 16 bytes */
  uint64_t pc;     /* return address; PLAIT_EXACT_ADDRESS; PLAIT_PYTHON_FRAME | index in LINES */
  uint32_t parent; /* index in NODES; smaller than its own */
  uint32_t next;   /* with the same hash */
};

struct plait_sample_count { /* 40 bytes */
  uint64_t samples;
  uint32_t node;
  uint32_t thread; /* index in THREADS */
  uint32_t region; /* 1 + index in the record's REGIONS; 0: none */
  uint32_t state;  /* enum plait_sample_state */
  uint32_t next;
  uint32_t pad_;
  uint64_t last_ticks; /* of the latest */
};

/* Samples that one signal stands for, in the order in which their thread took them. */
struct plait_sample_time {
  uint64_t ticks;
  uint32_t count; /* index in COUNTS */
  uint32_t samples;
};

struct plait_python_line {
  uint64_t code, name; /* addresses of the code object and of its name */
  int64_t position;    /* in the code */
  uint32_t text;       /* "LINE FUNCTION\nFILE" */
  uint32_t next;
};

struct plait_sample_module {
  uint64_t start, end; /* of its mapping */
  uint64_t bias;       /* address at run time minus address in the file */
  uint32_t path;       /* as the loader has it; "": the program */
  uint32_t pad_;
};

struct plait_sampled_thread {
  int32_t tid;
  int32_t omp_thread; /* number in its latest team; -1: in none */
  uint64_t begin_ticks, last_ticks;
  uint64_t cpu_ns;      /* while it was sampled */
  uint64_t samples;     /* counted */
  uint64_t lost;        /* due, but not counted: no room, or the signal was blocked for long */
  uint64_t truncated;   /* of `samples`, those with unknown outer frames */
  uint64_t spent_ticks; /* in the signal handler */
  uint64_t handled;     /* signals */
};

#endif /* PLAIT_TRACE_SAMPLE_FORMAT_H */
