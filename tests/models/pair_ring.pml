/* SPDX-License-Identifier: BSD-3-Clause */
/* The rings of src/transport/pair_queues.cpp between two members that send to each other, with
   acknowledgements. Data arrive whole and in order, all blocks return, and a ring with entries for
   the blocks of both members is never full. */

#define MESSAGES 3
#define BLOCKS 2
#define ENTRIES (2 * BLOCKS)

#define ENTRY_BEFORE_DATA 1  /* stores in the wrong order */
#define EARLY_RELEASE 2      /* the block is acknowledged before its data are read */
#define RING_TOO_SMALL 3     /* without entries for acknowledgements */
byte seed;
byte entries = ENTRIES;

byte ring[2 * ENTRIES]; /* to member 0, to member 1: block + 1; + 10 as an acknowledgement */
byte data[2 * BLOCKS];  /* of member 0, of member 1 */

inline append(value) {
  assert(ring[other * ENTRIES + put % entries] == 0);
  ring[other * ENTRIES + put % entries] = value;
  put++
}

proctype Member(byte me) {
  byte other = 1 - me;
  byte put, taken, sent, received, entry, free_blocks = BLOCKS;
  bool is_free[BLOCKS] = true;
  byte block;
  do
  :: sent < MESSAGES && free_blocks > 0 ->
    block = (is_free[0] -> 0 : 1);
    is_free[block] = false;
    free_blocks--;
    if
    :: seed == ENTRY_BEFORE_DATA -> append(block + 1); data[me * BLOCKS + block] = sent + 1
    :: else -> data[me * BLOCKS + block] = sent + 1; append(block + 1)
    fi;
    sent++
  :: ring[me * ENTRIES + taken % entries] != 0 ->
    entry = ring[me * ENTRIES + taken % entries];
    ring[me * ENTRIES + taken % entries] = 0;
    taken++;
    if
    :: entry > 10 -> is_free[entry - 11] = true; free_blocks++
    :: else ->
      if
      :: seed == EARLY_RELEASE -> append(entry + 10)
      :: else
      fi;
      assert(data[other * BLOCKS + entry - 1] == received + 1);
      received++;
      if
      :: seed != EARLY_RELEASE -> append(entry + 10)
      :: else
      fi
    fi
  :: sent == MESSAGES && received == MESSAGES && free_blocks == BLOCKS -> break
  od
}

init {
  atomic {
    c_code { now.seed = getenv("SEED") ? atoi(getenv("SEED")) : 0; };
    if
    :: seed == RING_TOO_SMALL -> entries = BLOCKS
    :: else
    fi;
    run Member(0);
    run Member(1)
  }
}
