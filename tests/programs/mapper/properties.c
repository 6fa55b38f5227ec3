/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that a reordered communicator has the same error handler, attributes, name and info as one
   that MPI created alone, and that certain calls go to MPI. Runs on 8 ranks on several nodes.

   Rank 0 prints: properties moved K failed F */
#include "neighbours.h"

#if MPI_VERSION < 4
#define HAS_SESSIONS 0
#else
#define HAS_SESSIONS 1
#endif

static int failures, handled;

static void expect(int fact, const char* what) {
  if (!fact) fprintf(stderr, "not so: %s\n", what);
  failures += !fact;
}

static void on_error(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  ++handled;
}

static MPI_Comm grid_of(MPI_Comm comm, int a, int b, int periodic, int reorder) {
  int dims[2] = {a, b}, periods[2] = {periodic, periodic};
  MPI_Comm cart;
  MPI_Cart_create(comm, 2, dims, periods, reorder, &cart);
  return cart;
}

/* Compares a reordered grid with one that MPI makes of the same communicator. */
static void compare(MPI_Comm from) {
  MPI_Comm plain = grid_of(from, 4, 2, 0, 0), ordered = grid_of(from, 4, 2, 0, 1);
  MPI_Errhandler handlers[3];
  char names[2][MPI_MAX_OBJECT_NAME];
  int lengths[2], result, keyval, found, dims[2], periods[2], coords[2], rank, back;
  void* value;
  MPI_Comm_get_errhandler(from, &handlers[0]);
  MPI_Comm_get_errhandler(plain, &handlers[1]);
  MPI_Comm_get_errhandler(ordered, &handlers[2]);
  expect(handlers[1] == handlers[2], "the error handler is the one that MPI gives");
  for (int i = 0; i < 3; ++i) MPI_Errhandler_free(&handlers[i]);
  MPI_Comm_get_name(plain, names[0], &lengths[0]);
  MPI_Comm_get_name(ordered, names[1], &lengths[1]);
  expect((lengths[0] == 0) == (lengths[1] == 0), "it has a name where MPI gives one");
  MPI_Comm_compare(plain, ordered, &result);
  expect(result == MPI_CONGRUENT || result == MPI_SIMILAR, "the same processes are in it");
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
  MPI_Comm_get_attr(ordered, keyval, &value, &found);
  expect(!found, "no attribute is copied");
  MPI_Comm_free_keyval(&keyval);
  MPI_Cart_get(ordered, 2, dims, periods, coords);
  MPI_Comm_rank(ordered, &rank);
  MPI_Cart_rank(ordered, coords, &back);
  expect(back == rank && dims[0] == 4 && dims[1] == 2, "coordinates belong to the rank");
  MPI_Comm_free(&plain);
  MPI_Comm_free(&ordered);
}

static int copied;

static int copy_attribute(MPI_Comm comm, int keyval, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)keyval, (void)extra, (void)in, (void)out;
  ++copied;
  *flag = 0;
  return MPI_SUCCESS;
}

static void leaves_attributes_alone(MPI_Comm from) {
  int keyval;
  MPI_Comm_create_keyval(copy_attribute, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
  MPI_Comm_set_attr(from, keyval, &keyval);
  MPI_Comm cart = grid_of(from, 4, 2, 0, 1);
  expect(copied == 0, "no attribute of the program's communicator is copied");
  MPI_Comm_free(&cart);
  MPI_Comm_delete_attr(from, keyval);
  MPI_Comm_free_keyval(&keyval);
}

/* MPI reports errors with the caller's error handler. */
static void leaves_errors_to_mpi(MPI_Comm from) {
  MPI_Errhandler handler;
  MPI_Comm cart = MPI_COMM_NULL;
  int dims[2] = {40, 40}, periods[2] = {0, 0};
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(from, handler);
  handled = 0;
  MPI_Cart_create(from, 2, dims, periods, 1, &cart);
  expect(handled == 1, "a grid that is too large is an error for the error handler");
  MPI_Comm ordered = grid_of(from, 4, 2, 0, 1);
  MPI_Errhandler kept;
  MPI_Comm_get_errhandler(ordered, &kept);
  expect(kept == handler, "the error handler is inherited");
  MPI_Errhandler_free(&kept);
  MPI_Comm_free(&ordered);
  MPI_Comm_set_errhandler(from, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
}

/* Six of eight processes: two get no communicator, and MPI_Cart_map says the same. */
static void leaves_some_idle(void) {
  int dims[2] = {3, 2}, periods[2] = {0, 0}, place, rank = MPI_UNDEFINED, in = 0, members;
  MPI_Comm cart = grid_of(MPI_COMM_WORLD, 3, 2, 0, 1);
  MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &place);
  if (cart != MPI_COMM_NULL) {
    MPI_Comm_rank(cart, &rank);
    in = 1;
    MPI_Comm_free(&cart);
  }
  expect(place == rank, "MPI_Cart_map returns the rank that MPI_Cart_create gives");
  MPI_Allreduce(&in, &members, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(members == 6, "as many processes as the grid has vertices get it");
}

/* A communicator over some of the processes, in another order. */
static void reorders_parts(int world_rank) {
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &part);
  MPI_Comm cart = grid_of(part, 2, 2, 1, 1);
  int size;
  MPI_Comm_size(cart, &size);
  expect(size == 4, "a part of the processes can be reordered");
  MPI_Comm_free(&cart);
  MPI_Comm_free(&part);
}

static void works_in_sessions(void) {
#if HAS_SESSIONS
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm, cart;
  int size;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "plait", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  cart = grid_of(comm, 4, 2, 0, 1);
  MPI_Comm_size(cart, &size);
  expect(size == 8, "a session's communicator can be reordered");
  MPI_Comm_free(&cart);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
#endif
}

int main(int argc, char** argv) {
  int rank, size, moved, cart_rank, provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 8) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm cart = grid_of(MPI_COMM_WORLD, 2, 4, 0, 1), copy;
  MPI_Comm_rank(cart, &cart_rank);
  moved = cart_rank != rank;
  MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_free(&cart);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  compare(copy);
  leaves_attributes_alone(copy);
  leaves_errors_to_mpi(copy);
  MPI_Comm_free(&copy);
  leaves_some_idle();
  reorders_parts(rank);
  works_in_sessions();
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("properties moved %d failed %d\n", moved, failures);
  MPI_Finalize();
  return failures != 0;
}
