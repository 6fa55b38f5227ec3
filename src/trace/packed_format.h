/* SPDX-License-Identifier: BSD-3-Clause */
/* The packed trace of one rank, RUN/trace/RANK.ptrace: the contents of its event file and its
 * record in one file. Little-endian: a header, then chunks, each with a header. A chunk of events
 * can be read with the definitions and shapes alone; docs/reference/formats.md says more. */
#ifndef PLAIT_TRACE_PACKED_FORMAT_H
#define PLAIT_TRACE_PACKED_FORMAT_H

#include <stdint.h>

#define PLAIT_PACKED_MAGIC 0x314b43415054504cULL /* "LPTPACK1" in memory order */
#define PLAIT_PACKED_VERSION 1u
#define PLAIT_PACKED_CHUNK_MAGIC 0x4b484350u /* "PCHK" */

struct plait_packed_header { /* 32 bytes */
  uint64_t magic;
  uint32_t version;
  uint32_t header_bytes;
  int32_t world_rank;
  int32_t pid;
  uint64_t reserved; /* 0 */
};

enum plait_packed_kind {
  PLAIT_PACKED_DEFINITIONS = 1, /* one zstd frame: JSON, schema plait-trace-definitions; first */
  PLAIT_PACKED_SHAPES = 2,      /* one zstd frame: struct plait_shape[items] */
  PLAIT_PACKED_EVENTS = 3,      /* 16 zstd frames: bytes 0, 1, 2 and 3 of the entries of column
                                   shape, then those of gap, duration and words; each frame has
                                   `items` bytes, those of words `words` */
  PLAIT_PACKED_END = 4          /* empty, the last chunk: a file without it is cut off */
};

#define PLAIT_PACKED_PLANES 16 /* of a chunk of events */
/* The frames of a chunk decompress to at most this many times `stored_bytes`: a small file cannot
 * fill the memory. Zeros after the frames make up what very regular data lacks. */
#define PLAIT_PACKED_RATIO 64

struct plait_packed_chunk { /* 64 bytes */
  uint32_t magic;
  uint32_t crc;  /* CRC-32 (IEEE 802.3) of the rest of this header and its data */
  uint32_t kind; /* enum plait_packed_kind */
  uint32_t thread;
  int32_t tid;
  int32_t omp_thread;
  uint64_t first_ticks, first_request; /* as in plait_chunk_header */
  uint32_t items;                      /* events, or shapes, or bytes of JSON */
  uint32_t words;
  uint64_t stored_bytes; /* of the data after this header, zeros included */
  uint64_t reserved;     /* 0 */
};

#endif /* PLAIT_TRACE_PACKED_FORMAT_H */
