/* SPDX-License-Identifier: BSD-3-Clause */
/* The check file that a preloaded process keeps under `plait check`, beside its record file
 * (HOST-PID-ID.chk beside HOST-PID-ID.rec, whose functions, sites and communicators it refers to).
 * Written by src/preload/check; read by src/check while the process runs and afterwards.
 *
 * One file per process, memory-mapped, little-endian. It grows by blocks, each of which belongs to
 * one section: the content of a section is that of its blocks, in their order. A section can so
 * grow until the file has as many bytes as it may have. A section's entries are written before its
 * count grows. Operations change after they are published: their `state`, `actual_peer` and
 * `actual_tag` are set when they end. */
#ifndef PLAIT_TRACE_CHECK_FORMAT_H
#define PLAIT_TRACE_CHECK_FORMAT_H

#include <stdint.h>

#define PLAIT_CHECK_MAGIC 0x314b48434c54504cULL /* "LPTLCHK1" in memory order */
#define PLAIT_CHECK_VERSION 3u
#define PLAIT_CHECK_WAITED 256         /* most operations that a thread lists as waited for */
#define PLAIT_CHECK_PROBED 8           /* most different probes that a thread lists */
#define PLAIT_CHECK_BLOCKS 32768       /* most blocks of a file */
#define PLAIT_CHECK_BLOCK_BYTES 65536u /* least bytes of a block; a power of two */

enum plait_check_section {
  PLAIT_CHECK_THREADS = 0,  /* struct plait_check_thread */
  PLAIT_CHECK_COMMS = 1,    /* struct plait_check_comm; 0 is "unknown" */
  PLAIT_CHECK_TYPES = 2,    /* struct plait_check_type; 0 is "unknown" */
  PLAIT_CHECK_PARTS = 3,    /* struct plait_check_part, referred to by types */
  PLAIT_CHECK_NAMES = 4,    /* char: names of types and errors, NUL-terminated; 0 is "" */
  PLAIT_CHECK_OBJECTS = 5,  /* struct plait_check_object */
  PLAIT_CHECK_FINDINGS = 6, /* struct plait_check_finding */
  PLAIT_CHECK_COUNTS = 7,   /* uint64_t: counts, or types, per partner; index 0 is unused */
  PLAIT_CHECK_OPS = 8,      /* struct plait_check_op, in the order of posting */
  PLAIT_CHECK_SECTIONS = 10
};

struct plait_check_section_header {
  uint64_t count;
  uint32_t entry_bytes;
  uint32_t lost; /* entries for which there was no room */
};

struct plait_check_header { /* 36864 bytes; the blocks follow */
  uint64_t magic;
  uint32_t version;
  uint32_t header_bytes;
  uint64_t block_bytes;
  uint32_t blocks; /* that the file has now; their owners are set before this grows */
  int32_t pid;
  uint32_t with_buffers;     /* 1: buffers were checksummed */
  uint32_t finalized;        /* 1: inside MPI_Finalize, 2: returned from it */
  uint32_t ops_before_limit; /* 1: a section is full; nothing can be compared any more */
  uint32_t main_thread;      /* index into THREADS: the one that called Init */
  uint64_t unknown_comms;    /* calls whose communicator or window could not be resolved */
  uint64_t opaque_types;     /* datatypes that could not be decomposed; they match any bytes */
  struct plait_check_section_header sections[PLAIT_CHECK_SECTIONS];
  uint8_t pad_[4096 - 64 - 16 * PLAIT_CHECK_SECTIONS];
  uint8_t owners[PLAIT_CHECK_BLOCKS]; /* enum plait_check_section of each block */
};

/* What the open call of a thread waits for. */
enum plait_check_wait {
  PLAIT_CHECK_WAIT_UNKNOWN = 0, /* unknown: it may continue at any time */
  PLAIT_CHECK_WAIT_ALL = 1,     /* all of its operations */
  PLAIT_CHECK_WAIT_ANY = 2,     /* one of its operations */
  PLAIT_CHECK_WAIT_FINALIZE = 3 /* MPI_Finalize of all ranks of the world */
};

/* What MPI_Iprobe or MPI_Improbe asks for. */
struct plait_check_probe {
  uint32_t comm; /* index into COMMS */
  int32_t peer, tag;
};

/* Calls of one thread that look for messages or the end of requests and find none, without another
 * MPI call between them. */
struct plait_check_polls {
  uint64_t calls;   /* 0: the last call was another one, or found something */
  uint64_t slow;    /* those that began more than PLAIT_CHECK_SLOW ticks after the one before */
  uint32_t polled;  /* number of operations asked for; ops has the first of them */
  uint32_t probed;  /* number of different probes; probes has the first of them */
  uint32_t unknown; /* 1: some asked for unknown requests or communicators */
  uint32_t pad_;
  uint32_t ops[PLAIT_CHECK_WAITED]; /* indices into OPS */
  struct plait_check_probe probes[PLAIT_CHECK_PROBED];
};

#define PLAIT_CHECK_SLOW 50000 /* 20 us at 2.5 GHz: polling loops do little else */

/* A thread that called MPI. The entry of an ended thread may be reused for a later one. */
struct plait_check_thread {
  uint64_t sequence; /* odd: inside a call; incremented at each entry and each exit */
  uint64_t entered;  /* ticks of the record's clock */
  uint64_t progress; /* incremented at each entry and each exit, except for calls in polls */
  int32_t tid;
  uint32_t function, site; /* of the open call, or of the last one */
  uint32_t wait;           /* enum plait_check_wait */
  uint32_t waited;         /* number of operations waited for; ops has the first of them */
  uint32_t unknown;        /* unknown requests among them, which may end at any time */
  uint32_t alive;          /* 0: the thread has ended */
  uint32_t pad_;
  uint32_t ops[PLAIT_CHECK_WAITED]; /* indices into OPS */
  struct plait_check_polls polls;
};

enum plait_check_comm_flag {
  PLAIT_CHECK_COMM_UNCERTAIN = 1 /* no observed call made it: other members may have another key */
};

struct plait_check_comm {
  uint64_t key;      /* equal on all members, unique to the communicator */
  uint64_t ordinals; /* collective calls on it so far */
  uint32_t record;   /* index into the record's COMMS: members, name */
  uint32_t flags;    /* enum plait_check_comm_flag */
};

enum plait_check_type_flag {
  PLAIT_CHECK_TYPE_BYTES = 1, /* has MPI_BYTE or MPI_PACKED: matches any type of as many bytes */
  PLAIT_CHECK_TYPE_BASIC = 2, /* a basic type: no parts, a name */
  PLAIT_CHECK_TYPE_OPAQUE = 4 /* its basic types are unknown: no parts */
};

/* The signature of a datatype: the sequence of its basic types (MPI-4.1, section 5.1). */
struct plait_check_type {
  uint64_t hash;     /* of the sequence; see check_signature.hpp */
  uint64_t elements; /* basic types */
  uint64_t bytes;
  uint64_t first_part; /* index into PARTS */
  uint32_t parts;
  uint32_t flags; /* enum plait_check_type_flag */
  uint32_t name;  /* of a basic type, into NAMES */
  uint32_t pad_;
};

/* Adjacent elements of a type, all of the same type. */
struct plait_check_part {
  uint64_t times;
  uint32_t type; /* index into TYPES, less than that of the type that it is a part of */
  uint32_t pad_;
};

enum plait_check_object_kind {
  PLAIT_CHECK_COMM = 1,
  PLAIT_CHECK_TYPE = 2,
  PLAIT_CHECK_GROUP = 3,
  PLAIT_CHECK_WIN = 4,
  PLAIT_CHECK_OPERATOR = 5,
  PLAIT_CHECK_FILE = 6,
  PLAIT_CHECK_PERSISTENT = 7 /* a persistent request */
};

/* A handle that the program created and has to free. */
struct plait_check_object {
  uint32_t kind; /* enum plait_check_object_kind; 0: freed, the entry is unused */
  uint32_t function, site;
  uint32_t next; /* the process's: the next unused entry + 1 */
};

enum plait_check_finding_kind {
  PLAIT_CHECK_AFTER_FINALIZE = 1,  /* function, site */
  PLAIT_CHECK_THREAD_LEVEL = 2,    /* function, site; value: level provided; other: 1 two threads
                                      at a time, 0 not the main thread */
  PLAIT_CHECK_BUFFER_CHANGED = 3,  /* op: the send; function, site: where it was detected */
  PLAIT_CHECK_BUFFER_OVERLAP = 4,  /* op and other: operations in flight */
  PLAIT_CHECK_INVALID_ARGUMENT = 5 /* function, site; value: the class of MPI's error; other: MPI's
                                      text for it, in NAMES */
};

struct plait_check_finding {
  uint32_t kind; /* enum plait_check_finding_kind */
  uint32_t function, site;
  uint32_t op, other;
  int32_t value;
  uint64_t count; /* occurrences */
};

enum plait_check_op_kind {
  PLAIT_CHECK_SEND = 1,
  PLAIT_CHECK_RECEIVE = 2,
  PLAIT_CHECK_PROBE = 3, /* blocking */
  PLAIT_CHECK_COLLECTIVE = 4,
  PLAIT_CHECK_OTHER = 5 /* a request that depends on no known partner */
};

enum plait_check_op_flag {
  PLAIT_CHECK_NONBLOCKING = 1, /* completed by Wait or Test */
  PLAIT_CHECK_BUFFERED = 2,    /* Bsend family: does not wait */
  PLAIT_CHECK_IN_PLACE = 4,    /* sendbuf was MPI_IN_PLACE */
  PLAIT_CHECK_SENDS = 8,       /* collective: type and count or counts sent are given */
  PLAIT_CHECK_RECEIVES = 16,   /* collective: those received are given */
  PLAIT_CHECK_MATCHED = 32,    /* receive: matched by Mprobe; peer and tag are the message's */
  PLAIT_CHECK_STARTED = 64,    /* persistent request, started by MPI_Start */
  PLAIT_CHECK_UNCERTAIN = 128, /* unknown whether it took or gave a message */
  PLAIT_CHECK_AWAITED = 256,   /* the call that ended it could not return before */
  PLAIT_CHECK_NO_STATUS = 512  /* receive: the program did not ask for its status */
};

enum plait_check_op_state {
  PLAIT_CHECK_OPEN = 0,
  PLAIT_CHECK_COMPLETE = 1,
  PLAIT_CHECK_CANCELLED = 2,
  PLAIT_CHECK_FREED = 3, /* by MPI_Request_free: its end is not observed */
  PLAIT_CHECK_FAILED = 4 /* the call returned an error and did nothing */
};

#define PLAIT_CHECK_ANY (-2)  /* MPI_ANY_SOURCE, MPI_ANY_TAG */
#define PLAIT_CHECK_NULL (-3) /* MPI_PROC_NULL */
#define PLAIT_CHECK_ROOT (-4) /* MPI_ROOT */
#define PLAIT_CHECK_NONE (-1)

struct plait_check_op {
  uint8_t kind;  /* enum plait_check_op_kind */
  uint8_t state; /* enum plait_check_op_state */
  uint16_t flags;
  uint32_t function, site;
  uint32_t thread;                 /* index into THREADS */
  uint32_t comm;                   /* index into COMMS */
  int32_t peer;                    /* destination, source or root; rank in the (remote) group */
  int32_t tag;                     /* collective: MPI_Comm_create_group's */
  int32_t actual_peer, actual_tag; /* complete receives: those of the message */
  uint32_t operation;              /* reductions: see check/types.cpp; 0 none */
  uint64_t ordinal;                /* collective: index within its communicator, from 0 */
  uint32_t type, type_received;    /* index into TYPES; receives use the first */
  uint64_t count, count_received;
  /* Collectives with a count per partner: index of `of` entries in COUNTS, 0 none.
   * MPI_Alltoallw: followed by as many types. */
  uint64_t counts, counts_received;
  uint32_t of, of_received;
  uint32_t ended_by;    /* thread that ended it: index into THREADS + 1; 0: none, or unknown */
  uint32_t ended_after; /* operations that the process had posted when that call began */
};

#define PLAIT_CHECK_USER_OPERATION 255 /* made by MPI_Op_create */

#endif /* PLAIT_TRACE_CHECK_FORMAT_H */
