/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring that a receiver of the design auto polls first, src/transport/common_queue.cpp. Its bit
   in the bell may stay set while messages come, so its sender need not ring for each of them: only
   if the bit is not set, or the receiver sleeps. The receiver looks at the ring itself. Without a
   time limit of sleeps, it takes all messages. */

#define MESSAGES 4

#define IGNORES_SLEEP 1  /* the sender rings only if its bit is not set */
#define NO_FENCE 2       /* the sender looks at the bell before its message is visible */
#define NO_SECOND_LOOK 3 /* the receiver does not look after it has announced to sleep */
#define COMPARES_NO_NEWS 4 /* the futex expects that the bit is not set: it never sleeps */
byte seed;

bool occupied;          /* a ring of one slot */
bool buffered;          /* a store to it that others do not see yet */
bool news, sleeping;    /* the bell */
bool in_futex, complete;

/* Makes stores visible at any time. */
proctype StoreBuffer() {
  do
  :: atomic { buffered -> occupied = true; buffered = false }
  :: complete -> break
  od
}

proctype Sender() {
  byte i;
  bool seen_news, seen_sleeping, was;
  for (i : 1 .. MESSAGES) {
    atomic { !occupied && !buffered -> buffered = true };
    if
    :: seed != NO_FENCE -> !buffered
    :: else
    fi;
    atomic { seen_news = news; seen_sleeping = sleeping };
    if
    :: seen_news && (!seen_sleeping || seed == IGNORES_SLEEP)
    :: else -> /* Bell::ring() */
      !buffered;
      atomic { news = true; was = sleeping };
      if
      :: was ->
        atomic { was = sleeping; sleeping = false };
        if
        :: was -> in_futex = false
        :: else
        fi
      :: else
      fi
    fi
  }
}

proctype Receiver() {
  byte taken;
  bool found;
  bool first; /* it polls this ring first; messages in other queues change that */
  bool still, loaded;
  bool noted; /* its bit was set when the receiver took the news */
  do
  :: taken == MESSAGES -> break
  :: else ->
    if
    :: first = !first
    :: (first || noted) && occupied -> occupied = false; taken++
    :: noted && !occupied -> noted = false
    :: news -> d_step { news = false; noted = true } /* take_news() */
    :: !noted && !(first && occupied) && (first || !news) ->
      sleeping = true;
      if /* has_news() */
      :: seed == NO_SECOND_LOOK -> found = false
      :: else ->
        if
        :: first -> found = occupied
        :: else -> found = news
        fi
      fi;
      if
      :: found
      :: else ->
        atomic { still = sleeping; loaded = news };
        if
        :: still ->
          atomic { /* FUTEX_WAIT compares and sleeps in one step */
            if
            :: sleeping && news == (loaded && seed != COMPARES_NO_NEWS) -> in_futex = true
            :: else -> assert(!sleeping || news != loaded) /* else it would return for ever */
            fi
          };
          !in_futex
        :: else
        fi
      fi;
      sleeping = false
    fi
  od;
  complete = true
}

init {
  atomic {
    c_code { now.seed = getenv("SEED") ? atoi(getenv("SEED")) : 0; };
    run StoreBuffer();
    run Receiver();
    run Sender()
  }
}
