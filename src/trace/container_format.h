/* SPDX-License-Identifier: BSD-3-Clause */
/* The container of a node's records, HOST-PID-ID.records: the files of many processes in one.
 *
 * Written in one go, so that it can be sent as a stream: a header, the members, each from a
 * multiple of PLAIT_CONTAINER_ALIGNMENT on, the index, sorted by name, and the trailer. All numbers
 * are little-endian, all offsets bytes from the start of the file. A file without a trailer is cut
 * off. */
#ifndef PLAIT_TRACE_CONTAINER_FORMAT_H
#define PLAIT_TRACE_CONTAINER_FORMAT_H

#include <stdint.h>

#define PLAIT_CONTAINER_MAGIC 0x31544e435254504cULL         /* "LPTRCNT1" in memory order */
#define PLAIT_CONTAINER_TRAILER_MAGIC 0x31444e455254504cULL /* "LPTREND1" */
#define PLAIT_CONTAINER_VERSION 1u
#define PLAIT_CONTAINER_ALIGNMENT 4096u
#define PLAIT_CONTAINER_NAME 104u /* bytes of a name, with the NUL at its end */

struct plait_container_header {
  uint64_t magic;
  uint32_t version;
  uint32_t header_bytes;
};

struct plait_container_member {
  char name[PLAIT_CONTAINER_NAME]; /* of the file, without a folder */
  uint64_t offset, bytes;
  uint32_t crc; /* CRC-32C of its bytes */
  uint32_t unused;
};

struct plait_container_trailer {
  uint64_t index_offset;
  uint32_t members;
  uint32_t index_crc; /* CRC-32C of the index */
  uint64_t magic;
};

#endif
