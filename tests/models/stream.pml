/* SPDX-License-Identifier: BSD-3-Clause */
/* A stream of src/transport/stream.hpp, through which one long message after the other goes in
   pieces, or from some piece on is read in the sender's memory, if the receiver finds that the
   sender does not go on. Every piece arrives with its message's data, and the sender changes the
   message only when the receiver needs it no more. */

/* A message has so many pieces, of which the stream has room for a window. */
#define MESSAGES 3
#define PIECES 3
#define WINDOW 2

#define PUT_BEFORE_DATA 1   /* stores in the wrong order */
#define TAKEN_BEFORE_COPY 2 /* the receiver gives a piece back before it has copied it */
#define DONE_WHEN_PUT 3     /* the send is done when the last piece is put */
#define BEGINS_TOO_SOON 4   /* the next message uses the stream before this one is taken */
byte seed;

byte put, taken;    /* pieces, in shared memory */
byte data[WINDOW];  /* the message of the piece in each place */
byte message;       /* the sender's memory: that of which message */
chan offers = [1] of { byte };
chan pulled = [1] of { byte }; /* the receiver's answer after it has read the rest */

proctype Sender() {
  byte number, sent, old;
  bool done;
  for (number : 1 .. MESSAGES) {
    message = number;
    sent = 0;
    done = false;
    put = 0;
    taken = 0;
    offers ! number;
    do
    :: done -> break
    :: !done && sent < PIECES && sent - taken < WINDOW ->
      if
      :: seed == PUT_BEFORE_DATA -> put = sent + 1; data[sent % WINDOW] = number
      :: else -> data[sent % WINDOW] = number; put = sent + 1
      fi;
      sent++
    :: !done && sent == PIECES && (taken == PIECES || seed == DONE_WHEN_PUT) -> done = true
    :: pulled ? [number] -> pulled ? old; done = true
    :: seed == BEGINS_TOO_SOON && sent == PIECES -> break
    od;
    message = 0 /* the program changes it */
  }
}

proctype Receiver() {
  byte number, received, piece;
  for (number : 1 .. MESSAGES) {
    offers ? piece;
    assert(piece == number);
    received = 0;
    do
    :: received == PIECES -> break
    :: received < PIECES && put > received ->
      if
      :: seed == TAKEN_BEFORE_COPY -> taken = received + 1
      :: else
      fi;
      assert(data[received % WINDOW] == number);
      received++;
      taken = received
    :: received < PIECES && (put == received || seed == DONE_WHEN_PUT) -> /* reads the rest */
      do
      :: received < PIECES -> assert(message == number); received++
      :: else -> break
      od;
      pulled ! number
    od
  }
}

init {
  atomic {
    c_code { now.seed = getenv("SEED") ? atoi(getenv("SEED")) : 0; };
    run Sender();
    run Receiver()
  }
}
