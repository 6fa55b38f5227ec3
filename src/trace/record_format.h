/* SPDX-License-Identifier: BSD-3-Clause */
/* The record file of a preloaded process, HOST-PID-ID.rec: written by src/preload, read by
 * src/trace.
 *
 * One file per process, which creates it and alone writes to it: memory-mapped, little-endian,
 * never moved. It grows with its contents. A killed process leaves what it had written. All offsets
 * are bytes from the start of the file. A table's entries are written before its count grows, so a
 * reader may trust the first `count` entries. Hash tables (call entries, peers, collectives) are
 * read whole instead: a slot is used when its key is not 0.
 * Times are ticks of the clock `clock_kind`; the reader converts them to seconds with
 * `ticks_per_s`, which it refines from the two clock samples (at load and last). */
#ifndef PLAIT_TRACE_RECORD_FORMAT_H
#define PLAIT_TRACE_RECORD_FORMAT_H

#include <stdint.h>

#define PLAIT_RECORD_MAGIC 0x315443455254504cULL /* "LPTRECT1" in memory order */
/* Version 3 has no COUNTER_READINGS and COUNTER_TOTALS. Before version 5, RANKS has each rank of a
 * communicator: int32_t. Version 6 added SOURCES. */
#define PLAIT_RECORD_VERSION 6u
#define PLAIT_MAX_FRAMES 16
#define PLAIT_MAX_CPUS 1024
#define PLAIT_MOST_COUNTERS 16

/* How far the process got. */
enum plait_record_state {
  PLAIT_STATE_LOADED = 1,      /* the preload is active, MPI_Init has not returned */
  PLAIT_STATE_INITIALIZED = 2, /* between Init and Finalize */
  PLAIT_STATE_FINALIZED = 3,   /* MPI_Finalize was called */
  PLAIT_STATE_EXITED = 4       /* the process ended by exit() (with or without Finalize) */
};

enum plait_clock_kind { PLAIT_CLOCK_TSC = 1, PLAIT_CLOCK_MONOTONIC_NS = 2, PLAIT_CLOCK_CNTVCT = 3 };

enum plait_abi { PLAIT_ABI_OPENMPI = 1, PLAIT_ABI_MPICH = 2, PLAIT_ABI_STANDARD = 3 };

/* The peer of a call. */
enum plait_peer_class {
  PLAIT_PEER_NONE = 0,      /* the call has no peer (Wait, Comm_rank, ...) */
  PLAIT_PEER_SELF = 1,      /* the process itself */
  PLAIT_PEER_NODE = 2,      /* another process on the same host */
  PLAIT_PEER_REMOTE = 3,    /* a process on another host */
  PLAIT_PEER_ANY = 4,       /* MPI_ANY_SOURCE, not resolved */
  PLAIT_PEER_NULL = 5,      /* MPI_PROC_NULL */
  PLAIT_PEER_COLLECTIVE = 6 /* all members of a communicator */
};

/* How OpenMP was observed. */
enum plait_openmp_view {
  PLAIT_OPENMP_NOT_SEEN = 0, /* no OpenMP runtime was found in the process */
  PLAIT_OPENMP_GOMP = 1,     /* through the GOMP_* entry points */
  PLAIT_OPENMP_OMPT = 2,     /* through OMPT */
  PLAIT_OPENMP_BLIND = 3     /* a runtime is present, but neither way works: not measured */
};

enum plait_placement_phase {
  PLAIT_PHASE_INIT = 1,          /* at the end of MPI_Init */
  PLAIT_PHASE_AFTER_PARALLEL = 2 /* at the end of the first parallel region */
};

/* Tables of the file; header.sections is indexed by these. */
enum plait_section {
  PLAIT_SECTION_STRINGS = 0,   /* NUL-terminated strings, each within one part; 0 is "" */
  PLAIT_SECTION_FUNCTIONS = 1, /* struct plait_function_record, index = function id */
  PLAIT_SECTION_MODULES = 2,   /* struct plait_module_record */
  PLAIT_SECTION_SITES = 3,     /* struct plait_site_record, index = site id; site 0 is "unknown" */
  PLAIT_SECTION_COMMS = 4,     /* struct plait_comm_record, index = comm id; 0 is "none" */
  PLAIT_SECTION_RANKS = 5,     /* struct plait_rank_run: of comms, those of one within one part */
  PLAIT_SECTION_THREADS = 6,   /* struct plait_thread_record, each with its own tables */
  PLAIT_SECTION_PARALLEL = 7,  /* struct plait_parallel_record: OpenMP regions */
  PLAIT_SECTION_OMP_THREADS = 8, /* struct plait_omp_thread_record */
  PLAIT_SECTION_REGIONS = 9,     /* struct plait_region_record: user regions */
  PLAIT_SECTION_PLACEMENT = 10,  /* struct plait_placement_record */
  PLAIT_SECTION_CPU_WAIT = 11,   /* struct plait_cpu_wait_record */
  PLAIT_SECTION_UNSEEN = 12,   /* uint32_t string offsets: entry points that were not intercepted */
  PLAIT_SECTION_NOTES = 13,    /* uint32_t string offsets: remarks of the preload object */
  PLAIT_SECTION_FOREIGN = 14,  /* struct plait_foreign_record: other programs bound to our cores */
  PLAIT_SECTION_CPU_USE = 15,  /* struct plait_cpu_use_record */
  PLAIT_SECTION_COUNTERS = 16, /* struct plait_counter_record, at most PLAIT_MOST_COUNTERS */
  PLAIT_SECTION_COUNTER_SUMS = 17,     /* struct plait_counter_sums */
  PLAIT_SECTION_MEMORY = 18,           /* struct plait_memory_record, at most one */
  PLAIT_SECTION_MEMORY_SAMPLES = 19,   /* struct plait_memory_sample */
  PLAIT_SECTION_FILES = 20,            /* struct plait_file_record */
  PLAIT_SECTION_ENERGY = 21,           /* struct plait_energy_record */
  PLAIT_SECTION_COUNTER_READINGS = 22, /* struct plait_counter_reading */
  PLAIT_SECTION_COUNTER_TOTALS = 23,   /* struct plait_counter_value */
  PLAIT_SECTION_SOURCES = 24,          /* struct plait_source_record */
  PLAIT_SECTION_COUNT = 25
};

#define PLAIT_MOST_PARTS 25

/* A table, in parts that are made when they are needed. The first part has room for `capacity`
 * entries, and each further one for as many as all parts before it. */
struct plait_section_header {
  uint64_t offset;                     /* of the first part */
  uint32_t entry_bytes;                /* 1 for STRINGS */
  uint32_t capacity;                   /* of the first part: entries (bytes for STRINGS) */
  uint32_t count;                      /* entries (bytes for STRINGS) published */
  uint32_t lost;                       /* entries that did not fit */
  uint64_t more[PLAIT_MOST_PARTS - 1]; /* offsets of the further parts */
};

/* A part of a table: its number, the index of its first entry, and its room in entries. */
struct plait_part {
  uint32_t number;
  uint64_t first, room;
};

/* The part in which the table's entry `index` is, even if there is no such part yet. */
static inline struct plait_part plait_part_of(uint32_t capacity, uint64_t index) {
  struct plait_part part = {0, 0, capacity};
  if (capacity && index >= capacity) {
    part.number = 64 - (uint32_t)__builtin_clzll(index / capacity);
    part.first = part.room = (uint64_t)capacity << (part.number - 1);
  }
  return part;
}

/* FNV-1a. */
static inline uint64_t plait_hash_text(const char* text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *text; ++text) hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
  return hash;
}

struct plait_clock_sample {
  uint64_t ticks;
  int64_t realtime_ns; /* CLOCK_REALTIME */
  int64_t monotonic_ns;
};

struct plait_record_header {
  uint64_t magic;
  uint32_t version;
  uint32_t header_bytes;
  uint64_t file_bytes; /* of the file */
  uint32_t state;      /* enum plait_record_state */
  uint32_t abi;        /* enum plait_abi */
  uint32_t clock_kind; /* enum plait_clock_kind */
  uint32_t openmp_view;
  int32_t pid, ppid;
  int32_t world_rank;                       /* -1 before Init */
  int32_t world_size;                       /* -1 before Init */
  int32_t thread_required, thread_provided; /* 0 single .. 3 multiple, -1 unknown */
  double ticks_per_s;
  struct plait_clock_sample at_load, at_init_begin, at_init_end,
      at_last;                 /* at_last: Finalize/exit */
  double overhead_ns_per_call; /* calibrated at Init; 0 when not calibrated */
  uint64_t lost_calls;         /* calls that fitted into no table */
  uint64_t unresolved_calls;   /* calls whose communicator or peer could not be resolved */
  uint32_t placement_only;     /* 1: only placement was requested */
  int32_t omp_max_threads;     /* that the runtime would use; -1 unknown */
  int32_t allowed_cpus;        /* of the process at Init */
  int32_t mpi_yields;          /* 1 yields when idle, 0 spins, -1 unknown */
  double cgroup_quota_cores;   /* 0: none */
  uint32_t host, library, program, omp_runtime; /* strings */
  uint32_t control_level;                       /* last MPI_Pcontrol level */
  uint32_t pad_;
  struct plait_section_header sections[PLAIT_SECTION_COUNT];
  uint64_t paused_ticks; /* finished pauses after Init, by MPI_Pcontrol(0) */
  uint64_t paused_since; /* begin of a pause that has not ended; 0: none */
  /* Processes see each other's pids if both are equal, and the same memory if `boot` is. */
  uint64_t boot;          /* plait_hash_text of /proc/sys/kernel/random/boot_id; 0: unknown */
  uint64_t pid_namespace; /* the inode of /proc/self/ns/pid; 0: unknown */
  /* At Init, and at the latest sample. */
  uint64_t process_cpu_ns[2]; /* CPU time of the process, with threads that have ended */
  uint64_t throttled_ns[2];   /* its control groups were stopped because of their quota */
  double counter_reading_ns;  /* the time to read the counters of a thread; 0: none are read */
};

struct plait_function_record {
  uint32_t name;    /* string: "MPI_Send" */
  uint32_t is_coll; /* 1: collective */
};

struct plait_module_record { /* one executable mapping */
  uint64_t start, end, file_offset;
  uint32_t path; /* string */
  uint32_t pad_;
};

struct plait_site_record {
  uint64_t key;   /* hash of the frames */
  uint32_t depth; /* frames kept, innermost (the caller of MPI) first */
  uint32_t pad_;
  uint64_t pc[PLAIT_MAX_FRAMES]; /* return addresses; see also python_format.h */
};

struct plait_comm_record {
  uint32_t name; /* string; 0: unnamed */
  int32_t size;  /* of the local group */
  int32_t my_rank;
  int32_t remote_size;   /* 0: intracommunicator */
  uint32_t first_run;    /* index into RANKS: of the local, then of the remote group */
  uint32_t ordinal;      /* n-th communicator of this membership in this process */
  uint64_t members_hash; /* same on all members: identifies the communicator across processes */
};

/* World ranks first, first + stride, ... of a group: `count` of them. -1 for members that are not
 * in the world, with the stride 0. */
struct plait_rank_run {
  int32_t first;
  uint32_t count;
  int32_t stride;
};

/* This process receives from a rank in the neighbourhood collectives of a communicator. */
struct plait_source_record {
  uint32_t comm;
  int32_t rank; /* in the communicator; -1: `comm` stands for several topologies */
};

/* A thread that called MPI. Its tables are at the given offsets. A thread whose call table is full
 * continues in another record with the same tid. The record of a thread that has ended may be
 * reused by a later thread. A capacity of 0 means there is no such table. */
struct plait_thread_record {
  int32_t tid;
  int32_t omp_thread;               /* omp_get_thread_num() when first seen, -1 unknown */
  uint64_t first_ticks, last_ticks; /* of its first and last recorded call: entry, exit */
  uint64_t mpi_ticks;               /* inside MPI, all calls */
  uint64_t mpi_wait_ticks;          /* of these it waited for a CPU, since Init */
  uint64_t outside_wait_ticks;      /* waited for a CPU between its calls, since Init */
  uint64_t calls_offset;            /* struct plait_call_entry[calls_capacity] */
  uint64_t peers_offset;            /* struct plait_peer_entry[peers_capacity] */
  uint64_t colls_offset;            /* struct plait_coll_entry[colls_capacity] */
  uint32_t calls_capacity, peers_capacity, colls_capacity;
  uint32_t pad_;
};

/* Calls with the same function, site, communicator, peer class and size class. */
struct plait_call_entry { /* 64 bytes */
  uint64_t key;           /* PLAIT_CALL_KEY; 0: free */
  uint64_t count;
  uint64_t bytes;        /* passed to MPI or requested, all calls */
  uint64_t ticks;        /* inside the call, all calls */
  uint64_t max_ticks;    /* the longest */
  uint64_t before_ticks; /* between the thread's previous MPI call and these */
  uint64_t first_ticks;  /* entry of the first */
  uint64_t wait_ticks;   /* of `ticks`, waiting for a CPU; short calls count in the thread only */
};

/* The size class of n bytes: 0 for 0, else 1 + floor(log2 n). */
#define PLAIT_KEY_USED (1ULL << 63)
#define PLAIT_CALL_KEY(function, site, comm, peer, size)                      \
  (PLAIT_KEY_USED | ((uint64_t)(function) << 50) | ((uint64_t)(site) << 26) | \
   ((uint64_t)(comm) << 10) | ((uint64_t)(peer) << 6) | (uint64_t)(size))
#define PLAIT_KEY_FUNCTION(key) ((uint32_t)((key) >> 50) & 0xfffu)
#define PLAIT_KEY_SITE(key) ((uint32_t)((key) >> 26) & 0xffffffu)
#define PLAIT_KEY_COMM(key) ((uint32_t)((key) >> 10) & 0xffffu)
#define PLAIT_KEY_PEER(key) ((uint32_t)((key) >> 6) & 0xfu)
#define PLAIT_KEY_SIZE(key) ((uint32_t)(key)&0x3fu)

/* Data that this process sent to one world rank. */
struct plait_peer_entry {
  uint64_t key; /* 1 + 2 * world rank + (1 if a collective sent it, for example MPI_Alltoallv) */
  uint64_t messages;
  uint64_t bytes;
};

/* Collectives whose data flow follows from function, communicator, root and bytes. Starts of a
 * persistent collective count under the function that created it, for example MPI_Bcast_init. */
struct plait_coll_entry {
  uint64_t key; /* PLAIT_KEY_USED | function << 48 | comm << 32 | (root + 1); root -1: none */
  uint64_t count;
  uint64_t bytes; /* of this process' contribution to one partner, all calls (see docs) */
};

/* An OpenMP parallel region, identified by the address of its body (GOMP) or an address within its
 * call (OMPT: return address minus one). busy_ticks + idle_ticks + wait_ticks is the elapsed time
 * times the threads. A nested region also counts as busy time of the outer one. */
struct plait_parallel_record {
  uint64_t address;
  uint64_t count;
  uint64_t threads; /* sum over executions */
  uint64_t ticks;   /* elapsed on the starting thread */
  uint64_t
      busy_ticks; /* sum over threads: body minus waiting in it, plus tasks run while waiting */
  uint64_t idle_ticks; /* sum over threads: late start, barriers, locks, waiting for the end */
  uint64_t wait_ticks; /* sum over threads: waiting for a CPU, or for a thread that does */
};

/* A thread of the teams that one thread starts; a nested region counts once. */
struct plait_omp_thread_record {
  int32_t thread; /* omp_get_thread_num() */
  int32_t tid;
  uint64_t busy_ticks, idle_ticks, wait_ticks;
};

/* A user region, identified by name and parent. */
struct plait_region_record {
  uint32_t name;   /* string */
  uint32_t parent; /* 1 + index of the enclosing region, 0: none */
  uint64_t count;
  uint64_t ticks;     /* inclusive */
  uint64_t mpi_ticks; /* in MPI inside it, same thread */
};

struct plait_placement_record {
  uint32_t phase; /* enum plait_placement_phase */
  int32_t tid;
  int32_t thread;   /* OpenMP thread number; -1: not a known OpenMP thread */
  int32_t last_cpu; /* on which it ran at that time */
  uint64_t allowed[PLAIT_MAX_CPUS / 64];
};

/* CPU time of one thread and its time waiting for a CPU, at one moment. */
struct plait_cpu_wait_record {
  int32_t tid;
  uint32_t at_end; /* 0: at Init, 1: latest sample */
  uint64_t ticks;
  uint64_t cpu_ns, wait_ns;        /* /proc/self/task/TID/schedstat: on CPU, on the run queue */
  uint64_t voluntary, involuntary; /* context switches */
};

/* How long a CPU that this process may use was in use, by whatever program, since the system's
 * start. */
struct plait_cpu_use_record {
  int32_t cpu;
  uint32_t at_end;   /* 0: at Init, 1: latest sample */
  uint64_t busy_ns;  /* not idle */
  uint64_t steal_ns; /* the hypervisor ran something else while the CPU had work */
};

/* A process that is not part of this job and is bound to some of our cores. */
struct plait_foreign_record {
  int32_t pid;
  uint32_t name; /* string */
  uint64_t allowed[PLAIT_MAX_CPUS / 64];
  double cpu_share; /* of one core, while sampled; -1 unknown */
};

/* A counter of perf_event_open(2). */
struct plait_counter_record {
  uint32_t name; /* string, as the user gave it */
  uint32_t type; /* perf_event_attr.type */
  uint64_t config;
  uint32_t threads;   /* for which it was opened */
  uint32_t failures;  /* threads for which it could not be opened */
  int32_t error;      /* the first errno of these; 0: none */
  uint32_t user_only; /* 1: without the kernel's part, which perf_event_paranoid forbids */
};

/* What a counter counted, and for how long: with more counters than the processor has, each counts
 * only part of the time, and value * enabled / running is the estimate for all of it. */
struct plait_counter_value {
  uint64_t value, enabled_ns, running_ns;
};

/* Counters of a thread in one user region, without the regions in it; from Init on. */
struct plait_counter_sums {
  int32_t tid;
  int32_t omp_thread; /* -1: none, or unknown */
  uint32_t region;    /* 1 + index of the region; 0: in none */
  uint32_t pad_;
  uint64_t readings;
  uint64_t ticks[2];                                         /* outside MPI, inside MPI */
  struct plait_counter_value values[2][PLAIT_MOST_COUNTERS]; /* the same; by counter */
};

/* What the counters of a thread had counted at a moment, in all regions; from Init on. Traced runs
 * keep some of the readings of each thread, so that phases can be counted. */
struct plait_counter_reading {
  uint64_t ticks;
  uint32_t thread;      /* number of the thread's counters, which a later thread may continue */
  uint32_t first_total; /* index into COUNTER_TOTALS: outside MPI by counter, then inside MPI */
  uint64_t in_ticks[2]; /* time outside MPI, inside MPI */
};

/* The process' memory, in bytes, and its CPU time. */
struct plait_memory_record {
  uint64_t peak;                        /* resident, until the latest sample */
  uint64_t resident, anonymous, shared; /* latest; anonymous: not of files or shared memory */
  uint64_t node;                        /* the node's memory */
  uint64_t limit;                       /* the smallest limit of its control groups; 0: none */
  uint64_t minor_faults[2];             /* page faults at Init, latest */
  uint64_t major_faults[2];             /* of these, with a disk access */
  uint64_t read_chars[2];  /* /proc/self/io: of read(2) and the like, also from pipes and sockets */
  uint64_t write_chars[2]; /* of write(2) and the like */
  uint64_t read_bytes[2], write_bytes[2]; /* from and to disks */
  /* Heap, only on request. */
  uint64_t heap_observed; /* 1: it was */
  uint64_t allocations, frees;
  uint64_t allocated;            /* bytes, all allocations */
  uint64_t heap_live, heap_peak; /* in use: latest, most */
  uint64_t heap_peak_ticks;      /* when it was most */
  /* CPU time of all threads at Init, latest. Earlier versions of Plait did not write these two. */
  uint64_t user_us[2];   /* in the program */
  uint64_t system_us[2]; /* in the kernel */
};

struct plait_memory_sample {
  uint64_t ticks;
  uint64_t resident, shared; /* bytes; shared: of files and shared memory */
  /* Bytes that calls of the program for files had moved until then; see PLAIT_FILE_IN_MPI for those
   * that do not count. Earlier versions of Plait did not write these two. */
  uint64_t read, written;
};

/* Who called for a file. The same path has a record for each. */
enum plait_file_kind {
  PLAIT_FILE_POSIX = 0,  /* the program: open, read, write, ... */
  PLAIT_FILE_STDIO = 1,  /* the program: fopen, fread, fwrite, fprintf, ..., which are buffered */
  PLAIT_FILE_IN_MPI = 2, /* the MPI library: open, read, write, ... */
  PLAIT_FILE_MPI = 3,    /* the program: MPI_File_open, MPI_File_write, ... */
  PLAIT_FILE_KINDS = 4
};

enum plait_io_operation {
  PLAIT_IO_OPEN = 0,
  PLAIT_IO_CLOSE = 1,
  PLAIT_IO_READ = 2,
  PLAIT_IO_WRITE = 3,
  PLAIT_IO_SEEK = 4,
  PLAIT_IO_SYNC = 5,
  PLAIT_IO_META = 6, /* stat, unlink, ...: by path */
  PLAIT_IO_OPERATIONS = 7
};

struct plait_io_sums {
  uint64_t calls, failures, bytes;
  uint64_t ticks, max_ticks; /* in all calls, in the longest */
};

/* Reads and writes by size: below 512 bytes, 4 KiB, 64 KiB, 1 MiB, 16 MiB, and larger ones. */
#define PLAIT_IO_SIZES 6

struct plait_file_record {
  uint32_t path; /* string: absolute, as the program gave it; empty: files without room */
  uint32_t kind; /* enum plait_file_kind */
  uint64_t first_ticks, last_ticks;
  struct plait_io_sums operations[PLAIT_IO_OPERATIONS];
  uint64_t sizes[2][PLAIT_IO_SIZES]; /* reads, writes */
};

/* A zone of /sys/class/powercap, from Init to the latest sample. */
struct plait_energy_record {
  uint32_t name; /* string: "package-0", "package-0/dram" */
  uint32_t pad_;
  uint64_t last_uj;  /* the latest reading */
  uint64_t range_uj; /* at which it begins again from 0 */
  uint64_t used_uj;
};

#endif /* PLAIT_TRACE_RECORD_FORMAT_H */
