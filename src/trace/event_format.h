/* SPDX-License-Identifier: BSD-3-Clause */
/* The event file that a preloaded process writes under `plait run --trace`: HOST-PID.evt beside the
 * record file HOST-PID.rec, which defines its functions, sites, communicators and regions. Written
 * by src/preload/trace, read by src/trace.
 *
 * Little-endian, append-only: a header page, then chunks of `chunk_bytes` each, mapped one at a
 * time. A chunk contains events of one thread, or shapes. An event is one entry in each of the
 * columns shape, gap and duration, plus 32-bit words in the column words; how many depends on the
 * kind of its shape. `events` and `words` of an open chunk grow after the data they count is
 * written, so a killed process loses only the call it was in. A closed chunk has a CRC over its
 * used part. With the shapes, each chunk can be read without those before it (a ring overwrites the
 * oldest).
 *
 * Times: an event ends at the end of the previous event in its chunk (the first one: first_ticks)
 * plus gap plus duration, and begins duration earlier. Events that may contain others (PARALLEL,
 * WORK, REGION) are stored where they end, and their gap leads to their end: they end at the end of
 * the previous event plus gap. So ends never decrease within a thread.
 *
 * A process whose node sends its files (src/preload/gather) compresses this one before: each piece
 * of PLAIT_EVENTS_PIECE bytes, of which the last one may be shorter, becomes a zstd frame (RFC
 * 8878) that states its size. The file then begins with the magic number of zstd. A frame is at
 * least 1 / PLAIT_EVENTS_RATIO as large as its piece, so that a small file cannot fill the memory:
 * a skippable frame of zeros after it makes up what very regular data lacks. */
#ifndef PLAIT_TRACE_EVENT_FORMAT_H
#define PLAIT_TRACE_EVENT_FORMAT_H

#include <stdint.h>

#include "trace/record_format.h"

#define PLAIT_EVENTS_MAGIC 0x315354564554504cULL /* "LPTEVTS1" in memory order */
#define PLAIT_EVENTS_VERSION 1u
#define PLAIT_CHUNK_MAGIC 0x4b4e4843u /* "CHNK" */

/* Of compressed files, whose chunk_bytes are between PLAIT_EVENTS_LEAST_CHUNK and a piece. */
#define PLAIT_EVENTS_FRAME_MAGIC 0xfd2fb528u
#define PLAIT_EVENTS_SKIPPED_MAGIC 0x184d2a50u /* of a skippable frame; then 4 bytes: its size */
#define PLAIT_EVENTS_PIECE (1u << 20)
#define PLAIT_EVENTS_RATIO 64
#define PLAIT_EVENTS_LEAST_CHUNK 4096u

enum plait_trace_mode { PLAIT_TRACE_FULL = 1, PLAIT_TRACE_RING = 2 };

/* One measurement of the reference host's clock (that of world rank 0) from this process' host:
 * reference seconds = own seconds + offset. Measured by ping-pong with a process of the reference
 * host at the end of Init and the begin of Finalize; jobs on one host have none. */
struct plait_clock_offset {
  uint64_t ticks;       /* own clock, when measured */
  double offset_s;      /* to be added to this host's monotonic clock; 0 on the reference host */
  double uncertainty_s; /* half the shortest round trip */
  uint32_t measured;    /* 0: not measured */
  uint32_t pad_;
};

struct plait_events_header { /* 4096 bytes */
  uint64_t magic;
  uint32_t version;
  uint32_t header_bytes;
  uint32_t chunk_bytes;
  uint32_t mode;               /* enum plait_trace_mode */
  uint32_t chunks;             /* number of chunks; each has a plait_chunk_header */
  uint32_t chunk_limit;        /* largest number of chunks */
  uint64_t lost_events;        /* that did not fit: limit of full mode, or disk full */
  uint64_t overwritten_events; /* ring */
  int32_t pid;
  uint32_t checking; /* 1: `plait check`; some events have more words (PLAIT_SHAPE_CHECKED) */
  struct plait_clock_offset at_init, at_finalize;
  double overhead_ns_per_event; /* calibrated at Init */
  char ranks[512]; /* --trace-ranks: which ranks keep a trace; empty: all; see rank_selection.hpp */
};

enum plait_chunk_kind { PLAIT_CHUNK_EVENTS = 1, PLAIT_CHUNK_SHAPES = 2 };

struct plait_chunk_header { /* 64 bytes */
  uint32_t magic;
  uint16_t kind;   /* enum plait_chunk_kind */
  uint16_t closed; /* 1: full, crc is valid */
  /* Number of the thread in this file. 0 is the thread that called MPI first, which called Init. A
   * thread that starts after another one has ended may take over its number. */
  uint32_t thread;
  int32_t tid;
  uint64_t sequence;      /* of this thread's chunks, or of the shape chunks, from 1 */
  uint64_t first_ticks;   /* gaps of this chunk count from here */
  uint64_t first_request; /* number of the first request started in this chunk */
  uint32_t events;        /* or shapes */
  uint32_t words;
  uint32_t capacity; /* events; the columns follow: uint32_t shape[], gap[], duration[], words[] */
  uint32_t word_capacity;
  uint32_t crc; /* shapes: CRC-32C of them; events: CRC-32C of the four CRC-32Cs, 4 bytes each,
                   of the used parts of shape, gap, duration, words */
  int32_t omp_thread; /* omp_get_thread_num() when first seen, -1 unknown */
};

/* What an event is, and which words follow it. The words of an event have this order: two (low,
 * high) if gap is PLAIT_LONG, two if duration is PLAIT_LONG, bytes (see below), tag or extra if the
 * shape is VARIES, then those of its kind.
 *
 * Polls: of calls that found nothing and follow each other within a microsecond, the first of each
 * shape is an event. Later calls extend the last such event to their end, and it counts them.
 *
 * Signed numbers (source, tag) are stored as two's complement, with PLAIT_NULL_PEER for
 * MPI_PROC_NULL. A source is a rank in the peer group, as in a shape. */
enum plait_shape_kind {
  PLAIT_EVENT_OTHER = 0,    /* a call that moves nothing; no words */
  PLAIT_EVENT_SEND = 1,     /* blocking send (all modes); no words */
  PLAIT_EVENT_RECV = 2,     /* blocking receive; bytes: received; words: source, tag if
                               PLAIT_SHAPE_WILDCARD */
  PLAIT_EVENT_SENDRECV = 3, /* shape and bytes of the send half; words: shape of the receive half
                               (kind RECV, the same function; VARIES adds no word), its bytes
                               (low, high), its source and tag */
  PLAIT_EVENT_ISEND = 4,    /* starts a request */
  PLAIT_EVENT_IRECV = 5,    /* starts a request; bytes: size of the buffer */
  PLAIT_EVENT_START = 6,    /* words: n, then for each started request the shape it was created with
                               (kind ISEND, IRECV or ICOLLECTIVE) and its bytes (low, high);
                               starts n requests */
  PLAIT_EVENT_COMPLETE = 7, /* Wait*, Test*, Request_free: words: n, then n references; if the shape
                               is TEST and n is 0, the number of calls (see polls). A call that ends
                               more than 4096 requests continues in events of no duration */
  PLAIT_EVENT_PROBE = 8,    /* Probe, Iprobe: words: 1, source, tag if found; else 0 and the number
                               of calls (see polls) */
  PLAIT_EVENT_MPROBE = 9,  /* as PROBE; if found, starts a request: the matched message, which MRECV
                              completes or IMRECV takes over */
  PLAIT_EVENT_MRECV = 10,  /* bytes: received; words: reference to the message's request, which
                              ends */
  PLAIT_EVENT_IMRECV = 11, /* words: reference to the message's request, which becomes this call's
                              request; starts none */
  PLAIT_EVENT_COLLECTIVE = 12,  /* blocking; no words */
  PLAIT_EVENT_ICOLLECTIVE = 13, /* starts a request */
  PLAIT_EVENT_RMA = 14,         /* one-sided: counted and timed */
  PLAIT_EVENT_PARALLEL = 15,    /* an OpenMP region, on the starting thread: site = index into the
                                   record's PARALLEL; words: threads, busy ticks of all threads
                                   (low, high) */
  PLAIT_EVENT_WORK = 16,   /* one thread's part in a region: site as PARALLEL; duration from its
                              start to its end there; words: idle ticks (low, high) */
  PLAIT_EVENT_REGION = 17, /* a user region, when it ends: site = index into the record's REGIONS;
                              no words */
  PLAIT_EVENT_CHECK = 18,  /* only under plait check; see src/check */
  PLAIT_EVENT_ISENDRECV = 19, /* as SENDRECV, but starts one request, of both halves; words: shape
                                 of the receive half (kind IRECV), its bytes (low, high), source and
                                 tag as asked for (PLAIT_ANY_PEER, PLAIT_ANY_TAG) */
  PLAIT_EVENT_PAUSE = 20,     /* as GAP, of earlier versions of Plait; no words */
  PLAIT_EVENT_CPU_WAIT =
      21,                /* the thread waited for a CPU before or in the call that follows, or
                            in the OpenMP work that has just ended; no duration; words: ticks
                            since the previous call (low, high), ticks in the call (low, high) */
  PLAIT_EVENT_GAP = 22,  /* the thread left out its events for this duration (--trace-region,
                            --trace-signal, MPI_Pcontrol); see below */
  PLAIT_EVENT_EPOCH = 23 /* Win_post, Win_start, Win_complete, Win_wait, Win_test that found its
                            epoch complete, Win_lock*, Win_unlock*, Win_flush*; peer: the target of
                            one with a single target; words: n, then the world ranks of the group
                            (the first two). A Win_test that found nothing is COMPLETE */
};

/* A GAP counts the operations that it left out, so that those after it still match: the n-th send
 * of a channel goes to its n-th receive. Words: n, back, then n pairs: a shape, which may be of any
 * operation, and how many operations with its communicator, peer and tag were left out. back 0:
 * during this gap; k: during the k-th gap before, which had more pairs than fit into an event, or a
 * receive whose source and tag were known later. Messages with VARIES are not counted. */

#define PLAIT_LONG 0xffffffffu

/* An event's shape column. */
#define PLAIT_SHAPE_INDEX 0x3fffffffu
/* The bytes differ from those of this shape's previous event in this chunk (0 before the first):
 * one word, or two (low, high) if WIDE. */
#define PLAIT_SHAPE_BYTES 0x40000000u
#define PLAIT_SHAPE_WIDE 0x80000000u

/* A reference to a request. The low 28 bits count backwards through the requests that this thread
 * started (1: the latest). FOREIGN: a word with the number of the thread that started it follows,
 * and the count starts at that thread's first request (1: the first). STATUS: the words source and
 * tag follow (wildcard receives). CANCELLED: it was cancelled before it matched. UNKNOWN: the
 * request belongs to no known message or collective (one-sided, file, or started in a gap); nothing
 * follows. LEFT_OUT: a receive that was started in a gap with a wildcard; follow its shape, source
 * and tag, and in which gap, as `back` of a GAP. */
#define PLAIT_REFERENCE_COUNT 0x0fffffffu
#define PLAIT_REFERENCE_FREED 0x10000000u /* by MPI_Request_free */
#define PLAIT_REFERENCE_CANCELLED 0x20000000u
#define PLAIT_REFERENCE_FOREIGN 0x40000000u
#define PLAIT_REFERENCE_STATUS 0x80000000u
#define PLAIT_REFERENCE_UNKNOWN 0u
#define PLAIT_REFERENCE_LEFT_OUT PLAIT_REFERENCE_STATUS

/* Flags of a shape. */
enum plait_shape_flag {
  PLAIT_SHAPE_WILDCARD = 1,    /* receive with MPI_ANY_SOURCE or MPI_ANY_TAG */
  PLAIT_SHAPE_PERSISTENT = 2,  /* created by *_init */
  PLAIT_SHAPE_SYNCHRONOUS = 4, /* Ssend family */
  PLAIT_SHAPE_BUFFERED = 8,    /* Bsend family */
  PLAIT_SHAPE_READY = 16,      /* Rsend family */
  PLAIT_SHAPE_PARTITIONED = 32,
  PLAIT_SHAPE_NEIGHBOR = 64,    /* neighbourhood collective */
  PLAIT_SHAPE_TEST = 128,       /* Test*, Iprobe: does not wait */
  PLAIT_SHAPE_CHECKED = 256,    /* `extra` is the hash of the datatype's signature (plait check) */
  PLAIT_SHAPE_DERIVED = 512,    /* the datatype is derived and not contiguous */
  PLAIT_SHAPE_VARIES = 1024,    /* tag (sends, receives; one word) or extra (collectives; two words,
                                   low and high) follows the event's bytes; 0 in the shape */
  PLAIT_SHAPE_EXCLUSIVE = 2048, /* Win_lock with MPI_LOCK_EXCLUSIVE */
  PLAIT_SHAPE_NO_LOCK = 4096    /* Win_lock* with MPI_MODE_NOCHECK, which takes no lock */
};

/* What equal calls have in common. Events other than sends, receives and collectives leave fields
 * 0. */
struct plait_shape { /* 48 bytes */
  uint32_t kind;     /* enum plait_shape_kind */
  uint32_t flags;    /* enum plait_shape_flag */
  uint32_t function; /* index into the record's FUNCTIONS */
  uint32_t site;     /* index into the record's SITES (or PARALLEL, REGIONS) */
  uint32_t comm;     /* index into the record's COMMS */
  int32_t peer; /* rank in the communicator (remote group, if inter): destination, source, root;
                   PLAIT_NO_PEER, PLAIT_ANY_PEER, PLAIT_NULL_PEER, PLAIT_ROOT_PEER */
  int32_t tag;  /* PLAIT_ANY_TAG */
  uint32_t operation; /* reductions: enum plait_operation; else 0 */
  uint64_t extra;     /* collectives: bytes that the process receives; see CHECKED */
  uint64_t elements;  /* plait check: count argument; else 0 */
};

#define PLAIT_NO_PEER (-1)
#define PLAIT_ANY_PEER (-2)
#define PLAIT_NULL_PEER (-3)
#define PLAIT_ROOT_PEER (-4) /* MPI_ROOT: the caller is the root, of an intercommunicator */
#define PLAIT_ANY_TAG (-1)

enum plait_operation {
  PLAIT_OP_NONE = 0,
  PLAIT_OP_MAX = 1,
  PLAIT_OP_MIN = 2,
  PLAIT_OP_SUM = 3,
  PLAIT_OP_PROD = 4,
  PLAIT_OP_LAND = 5,
  PLAIT_OP_BAND = 6,
  PLAIT_OP_LOR = 7,
  PLAIT_OP_BOR = 8,
  PLAIT_OP_LXOR = 9,
  PLAIT_OP_BXOR = 10,
  PLAIT_OP_MAXLOC = 11,
  PLAIT_OP_MINLOC = 12,
  PLAIT_OP_REPLACE = 13,
  PLAIT_OP_NO_OP = 14,
  PLAIT_OP_USER = 255 /* defined by the program */
};

#endif /* PLAIT_TRACE_EVENT_FORMAT_H */
