/* SPDX-License-Identifier: BSD-3-Clause */
/* The library for C, and the base of the Fortran module: grid, field, halo, step, grains and
 * transpose.
 *
 *     plait_grid* grid;
 *     plait_check(plait_grid_create(MPI_COMM_WORLD, cells, NULL, &grid));
 *     plait_field* memory;
 *     plait_check(plait_field_create(grid, 1, sizeof(double), &memory));
 *     plait_view u = plait_field_view(memory);
 *     plait_halo* halo;
 *     plait_check(plait_halo_create(grid, &u, 1, NULL, &halo));
 *     plait_stepper* stepper;
 *     plait_check(plait_stepper_create(halo, NULL, &stepper));
 *     plait_check(plait_step(stepper, &u, 1, update, &data));
 *
 * Axes are 0 = x (contiguous in memory), 1 = y, 2 = z. Cells count from 0: a rank's own cells are
 * [0, own[d]) along axis d; ghosts are negative, or own[d] and above. Boxes are half-open: they
 * include `first` and exclude `last`.
 *
 * Functions that can fail return a plait_status; plait_last_error() then returns the message.
 * "Collective" functions must be called by all ranks of the grid in the same order; all others are
 * local. A NULL handle or pointer is a PLAIT_LOCAL_ERROR unless NULL has a documented meaning. Call
 * all functions from the thread that initialized MPI. Other threads call only plait_update. */
#ifndef PLAIT_PLAIT_H
#define PLAIT_PLAIT_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- errors --- */

typedef enum plait_status {
  PLAIT_SUCCESS = 0,
  PLAIT_COLLECTIVE_ERROR = 1, /* every rank got it, with the same message: all can end cleanly */
  PLAIT_LOCAL_ERROR = 2,      /* possibly on this rank alone: others may be waiting for it, so end
                                 with MPI_Abort or plait_check() */
  PLAIT_NO_MEMORY = 3,        /* out of memory; like PLAIT_LOCAL_ERROR */
  PLAIT_INTERNAL_ERROR = 4    /* a bug in the library; like PLAIT_LOCAL_ERROR */
} plait_status;

/* Message of the last error of the calling thread, one line "what: why; remedy"; empty before the
 * first error. Valid until this thread's next error. Local. */
const char* plait_last_error(void);

/* Returns if status is PLAIT_SUCCESS. Otherwise prints plait_last_error() and ends the program: a
 * PLAIT_COLLECTIVE_ERROR is printed by rank 0 of MPI_COMM_WORLD, and every rank calls MPI_Finalize
 * and exit(2); any other error is printed by this rank, which calls MPI_Abort. */
void plait_check(int status);

/* --- grid: global cells cut into one box per rank --- */

typedef struct plait_grid plait_grid;

/* All zero: everything chosen by the library, open on all sides. */
typedef struct plait_grid_options {
  int ranks[3];    /* ranks along each axis; 0: chosen so that few bytes cross between nodes */
  int periodic[3]; /* nonzero: the axis is periodic */
  const char* map; /* which rank gets which box: "automatic" (or NULL), "row_major", "mpi",
                      "node_blocked", "portfolio", "given" */
  const int* coordinates; /* for "given": 3 numbers per rank of the communicator; requires ranks */
} plait_grid_options;

/* Cuts cells[0] x cells[1] x cells[2] global cells into one box per rank of `comm`, which is
 * duplicated. Collective over `comm`.
 * options: NULL for all zero. *grid: the new grid, NULL on error.
 * Errors: PLAIT_COLLECTIVE_ERROR if the ranks do not fit the cells, the map is unknown, or the
 * given coordinates are not a permutation. */
int plait_grid_create(MPI_Comm comm, const int cells[3], const plait_grid_options* options,
                      plait_grid** grid);
/* The same with a Fortran integer communicator (comm, or comm%MPI_VAL). */
int plait_grid_create_f(MPI_Fint comm, const int cells[3], const plait_grid_options* options,
                        plait_grid** grid);
/* Frees a grid and sets *grid to NULL; does nothing if it is NULL. Free all halos on the grid
 * first. Collective; call it before MPI_Finalize. */
int plait_grid_free(plait_grid** grid);

/* The communicator of the grid. Ranks in the functions below refer to it. Do not free it. */
int plait_grid_comm(const plait_grid* grid, MPI_Comm* comm);
/* This rank, and the number of ranks. */
int plait_grid_rank(const plait_grid* grid, int* rank, int* size);
/* Number of ranks along each axis, and this rank's coordinates among them. */
int plait_grid_ranks(const plait_grid* grid, int ranks[3], int coordinates[3]);
/* Global indices of this rank's own cells, first[d] <= i < last[d]. */
int plait_grid_own(const plait_grid* grid, int first[3], int last[3]);
/* The rank at an offset from this rank's coordinates; MPI_PROC_NULL beyond the end of the grid. */
int plait_grid_neighbour(const plait_grid* grid, const int offset[3], int* rank);
/* One or two sentences on the decomposition; valid as long as the grid. NULL on error. */
const char* plait_grid_report(plait_grid* grid);

/* Stengel's subdomainMap (2010, section 3.1.1): ranks in order fill blocks of node_dims boxes, cut
 * off at the end of the grid of dims boxes, so that consecutive ranks, and thus nodes, get compact
 * parts. Needs neither a grid nor MPI. Local.
 * dims, node_dims: numbers >= 1; n = dims[0] * dims[1] * dims[2].
 * rank_coord: receives 3 n numbers, the coordinates of each rank, in the form of
 * plait_grid_options.coordinates.
 * coord_rank: receives n ranks; the rank at c is coord_rank[c[2] + dims[2] * (c[1] + dims[1] *
 * c[0])]. */
int plait_subdomain_map(const int dims[3], const int node_dims[3], int* rank_coord,
                        int* coord_rank);
/* Stengel's neighborRank, extended to periodic axes: the rank at an offset from another rank's
 * coordinates. Local.
 * dims, rank_coord, coord_rank: as of plait_subdomain_map(), or of any such map.
 * periodic: nonzero for periodic axes; NULL if all are open.
 * *neighbor: MPI_PROC_NULL beyond an open axis.
 * Errors: PLAIT_LOCAL_ERROR if the rank does not exist. */
int plait_neighbor_rank(int rank, const int offset[3], const int dims[3], const int periodic[3],
                        const int* rank_coord, const int* coord_rank, int* neighbor);

/* Agrees on a local error, for example of plait_view_of_array() or of the program. If any rank
 * passes a status other than PLAIT_SUCCESS, every rank gets PLAIT_COLLECTIVE_ERROR with the last
 * message of the lowest such rank. Collective. */
int plait_agree(const plait_grid* grid, int status);

/* --- fields: the memory of a rank's cells --- */

/* The layout of a rank's array with ghosts, in the program's memory or a plait_field's. Cell
 * (i, j, k) is i + j * stride_y + k * stride_z elements after `origin`. A value: may be copied and
 * swapped. */
typedef struct plait_view {
  void* origin;         /* own cell (0, 0, 0) */
  size_t element_bytes; /* bytes of one element */
  int own[3];           /* own cells along x, y, z */
  int ghost;            /* ghost layers on each of the six sides */
  ptrdiff_t stride_y;   /* in elements */
  ptrdiff_t stride_z;   /* in elements */
} plait_view;

/* Creates a view of the program's array, which includes ghosts: extents[d] = own cells + 2 *
 * ghosts. grid: determines the own cells, and thus the ghosts. first: the array's first element.
 * strides: bytes from one element to the next along each axis; strides[0] must be element_bytes.
 * Errors: PLAIT_LOCAL_ERROR if the extents do not fit the grid or rows are not contiguous. */
int plait_view_of_array(const plait_grid* grid, void* first, size_t element_bytes,
                        const int extents[3], const ptrdiff_t strides[3], plait_view* view);

typedef struct plait_field plait_field;

/* Allocates zeroed memory for this rank's box of the grid. Rows start on cache lines and are padded
 * so that neighbours do not share cache sets; pages are placed near the threads that will update
 * them; large fields use huge pages. Local.
 * ghost: ghost layers, >= 0. *field: the new field, NULL on error.
 * Errors: PLAIT_LOCAL_ERROR on invalid extents or if memory is short. */
int plait_field_create(const plait_grid* grid, int ghost, size_t element_bytes,
                       plait_field** field);
/* Frees the memory and sets *field to NULL; does nothing if it is NULL. Invalidates views. Local.
 */
void plait_field_free(plait_field** field);
/* The view of the field's cells; all zero if field is NULL. */
plait_view plait_field_view(const plait_field* field);

/* --- halo: the exchange of ghosts with neighbours --- */

typedef struct plait_halo plait_halo;

/* All zero: as wide as the fields' ghosts, faces only, open ends fixed, the rest chosen. */
typedef struct plait_halo_options {
  int width;             /* ghost layers to fill; 0: as many as the fields have */
  int edges_and_corners; /* nonzero: also fill ghosts at edges and corners */
  const char* transport; /* "automatic" (or NULL), "point_to_point", "persistent", "neighborhood",
                            "shared_memory" */
  const char* packing;   /* "automatic" (or NULL), "threads", "datatypes" */
  int mirror[6];         /* for the open ends x low, x high, y low, y high, z low, z high: 0: ghosts
                            keep the program's values; nonzero: they mirror the own cells */
} plait_halo_options;

/* Plans the exchange of one or several fields at once. Collective.
 * grid: must outlive the halo.
 * layout, count: one view per field of an exchange; only their layout matters, so fields can be
 * swapped. options: NULL for all zero. *halo: the new plan, NULL on error.
 * Errors: PLAIT_COLLECTIVE_ERROR if a box is thinner than the width, a layout does not fit the
 * grid, or this MPI does not support the transport. */
int plait_halo_create(const plait_grid* grid, const plait_view* layout, int count,
                      const plait_halo_options* options, plait_halo** halo);
/* Frees a halo and sets *halo to NULL; does nothing if it is NULL. Free all steppers on the halo
 * first. Collective; call it before MPI_Finalize. */
int plait_halo_free(plait_halo** halo);
/* Fills the ghosts of the fields. Collective; packs with all OpenMP threads.
 * fields, count: as many fields as in the layout, each with that layout. */
int plait_halo_exchange(plait_halo* halo, const plait_view* fields, int count);
/* The two halves of plait_halo_exchange(). Between them, own cells may be read but not written, and
 * ghosts must not be used. Collective. */
int plait_halo_start(plait_halo* halo, const plait_view* fields, int count);
int plait_halo_finish(plait_halo* halo);
/* The own cells whose update needs no ghost that an exchange fills; may be empty. */
int plait_halo_interior(const plait_halo* halo, int first[3], int last[3]);
/* Bytes that this rank sends in one exchange: in total, and to other nodes. */
int plait_halo_bytes(const plait_halo* halo, long long* all, long long* cross_node);

/* --- step: an update under a schedule --- */

typedef struct plait_stepper plait_stepper;

/* Computes the new values of the cells of a box, first[d] <= i < last[d] in local indices, from old
 * values up to the halo's width around it, and writes nothing that another call reads. Several
 * threads call it at the same time on disjoint boxes that together are the own cells. It must call
 * neither MPI nor functions of this header, and must not throw.
 * context: as passed to plait_step(). */
typedef void (*plait_update)(const int first[3], const int last[3], void* context);

/* Creates a stepper, which runs steps of one halo. Collective.
 * halo: must outlive the stepper.
 * schedule: "blocking", "nonblocking", "polled", "comm_thread", "tasks", "grains",
 * "partitioned" or "automatic", optionally with options: "comm_thread,wait=sleep,poll=100us". NULL:
 * that of the environment variable PLAIT_SCHEDULE, else automatic. *stepper: NULL on error. Errors:
 * PLAIT_COLLECTIVE_ERROR if the schedule is invalid or differs between ranks, MPI's thread level is
 * too low for it, or partitioned communication does not work here. */
int plait_stepper_create(plait_halo* halo, const char* schedule, plait_stepper** stepper);
/* Frees a stepper and sets *stepper to NULL; does nothing if it is NULL. Collective. */
int plait_stepper_free(plait_stepper** stepper);
/* Runs one step that exchanges first: fills the ghosts of `in`, the fields that update() reads,
 * while update() runs on cells that need none. Collective.
 * Errors: PLAIT_COLLECTIVE_ERROR in verify mode (PLAIT_VERIFY=1) if an exchange differs from a
 * blocking one. */
int plait_step(plait_stepper* stepper, const plait_view* in, int count, plait_update update,
               void* context);
/* Runs one step that updates the boundary first. The ghosts of the fields that update() reads must
 * be valid before; on return, the ghosts of `out`, the fields that update() writes, are valid.
 * Collective; errors as for plait_step(). */
int plait_advance(plait_stepper* stepper, const plait_view* out, int count, plait_update update,
                  void* context);
/* The schedule in use, in the form that plait_stepper_create() reads: as requested, or the choice
 * of automatic. Valid until the next call on this stepper. NULL on error. */
const char* plait_stepper_schedule(plait_stepper* stepper);
/* A table for people: computation, communication, its CPU time, the time of each schedule, and the
 * reason for this one. Valid until the next call on this stepper. NULL on error. */
const char* plait_stepper_explain(plait_stepper* stepper);
/* Measures what plait_stepper_explain() reports, by `repetitions` steps of every schedule that can
 * run here. The steps call update() and exchange like plait_step(). Collective. */
int plait_stepper_measure(plait_stepper* stepper, const plait_view* in, int count, int repetitions,
                          plait_update update, void* context);

/* --- grains: a team of threads computes while one of them communicates --- */

/* A block of tasks with dependencies, which plait_grains_run() executes in one OpenMP parallel
 * region (Viet et al. 2005; C++: plait::GrainBlock). All functions are local, except that a run is
 * as collective as its communications. Tasks are declared in the order in which they should run.
 * The team takes grains in that order; the communicating thread runs its tasks in order and, when
 * it has none that is ready, computes grains as well. */
typedef struct plait_grains plait_grains;

/* All zero: OpenMP's team, the master communicates, the rest chosen. */
typedef struct plait_grains_options {
  int threads;      /* of the team; 0: OpenMP's default */
  int first_thread; /* nonzero: not the master but the first thread that comes communicates; needs
                       MPI_THREAD_SERIALIZED */
  int channels;     /* communicating threads; 0: 1; more need MPI_THREAD_MULTIPLE */
  int before;       /* grains computed before the first communication; 0: chosen from the times of
                       the run before; -1: none */
  const char* wait; /* how a thread waits: "automatic" (or NULL), "spin", "yield", "sleep" */
} plait_grains_options;

/* Where the time of a run went, in seconds. */
typedef struct plait_grains_times {
  double total_s;
  double before_s;        /* until the first communication began */
  double communicating_s; /* in communication, of the thread that communicated longest */
  double waiting_s;       /* for grains, of that thread */
  double grain_s;         /* of one grain on one thread, mean */
  double message_s;       /* of one communication: the time in which any was on its way / all */
  int before;             /* grains computed before the first communication */
} plait_grains_times;

/* One part of a task, 0 <= part < parts. Nonzero ends the block: tasks that have not begun are left
 * out, and plait_grains_run() fails. Must not throw. */
typedef int (*plait_grains_part)(int part, void* context);
/* Starts the communication of one part: fills `requests`, which are MPI_REQUEST_NULL before. */
typedef int (*plait_grains_begin)(int part, MPI_Request* requests, void* context);
/* The same with Fortran's integer requests. */
typedef int (*plait_grains_begin_f)(int part, MPI_Fint* requests, void* context);

/* Creates an empty block. options: NULL for all zero. *block: NULL on error.
 * Errors: an option is out of range, or MPI's thread level is too low for it. */
int plait_grains_create(const char* name, const plait_grains_options* options,
                        plait_grains** block);
/* Frees a block and sets *block to NULL; does nothing if it is NULL. */
int plait_grains_free(plait_grains** block);
/* Declares a computation of `parts` grains, which any threads run at the same time; it must not
 * call MPI. *task: its number, for plait_grains_after(). context: must live as long as the block.
 */
int plait_grains_compute(plait_grains* block, const char* name, int parts, plait_grains_part run,
                         void* context, int* task);
/* Declares a computation of the communicating thread, whose parts run in order. */
int plait_grains_compute_in_order(plait_grains* block, const char* name, int parts,
                                  plait_grains_part run, void* context, int* task);
/* Declares a communication of the communicating thread, whose parts run in order. run() may call
 * MPI and returns when its part is complete. */
int plait_grains_communicate(plait_grains* block, const char* name, int parts,
                             plait_grains_part run, void* context, int* task);
/* The same without waiting: a part is complete when its `count` requests are. In the meantime the
 * thread goes on. */
int plait_grains_begin_communication(plait_grains* block, const char* name, int parts, int count,
                                     plait_grains_begin begin, void* context, int* task);
int plait_grains_begin_communication_f(plait_grains* block, const char* name, int parts, int count,
                                       plait_grains_begin_f begin, void* context, int* task);
/* What communicating threads call after each of their grains and while they wait, for communication
 * that the program drives itself. With several channels, several threads may call it at once. */
int plait_grains_on_progress(plait_grains* block, void (*progress)(void* context), void* context);
/* Every part of `later` runs after all parts of `earlier`; part i after part i of `earlier`.
 * Errors: `earlier` was not declared before `later`, or has another number of parts. */
int plait_grains_after(plait_grains* block, int later, int earlier);
int plait_grains_after_each(plait_grains* block, int later, int earlier);
/* Runs all tasks; may be called again and again, but not in a parallel region. */
int plait_grains_run(plait_grains* block);
/* The dependencies as a graph for Graphviz. Valid until the next call on this block. NULL on error.
 */
const char* plait_grains_graph(plait_grains* block);
/* The times of the last run. */
int plait_grains_last_times(const plait_grains* block, plait_grains_times* times);

/* The number of grains to compute before the first communication, so that the rest takes as long as
 * the communications (C++: plait::grains_before(), which has the formula). A block whose `before`
 * is 0 calls this with the times of its run before.
 * grain_s: of one grain on one thread; message_s: of one communication. Returns the number. */
int plait_grains_before(int grains, int messages, int threads, double grain_s, double message_s);

/* A measured exchange: messages of this size in both directions. */
typedef struct plait_exchange_speed {
  double bytes;
  double bytes_per_s;
} plait_exchange_speed;

/* Sizes that plait_measure_exchange() measures: 1 KiB, 2 KiB and so on up to 256 KiB. */
#define PLAIT_EXCHANGE_SIZES 9

/* Measures how fast this rank and a partner exchange messages. Collective over comm.
 * partner: the rank whose partner is this one; this rank itself or MPI_PROC_NULL for none.
 * speeds: those of the slowest pair, the same on all ranks; 0 without pairs.
 * Errors: PLAIT_COLLECTIVE_ERROR if a partner is not a rank. */
int plait_measure_exchange(MPI_Comm comm, int partner,
                           plait_exchange_speed speeds[PLAIT_EXCHANGE_SIZES]);
int plait_measure_exchange_f(MPI_Fint comm, int partner,
                             plait_exchange_speed speeds[PLAIT_EXCHANGE_SIZES]);
/* The size of a grain's message in bytes: the smallest that reaches 90 % of the highest of `count`
 * speeds. 0 without speeds. */
double plait_grain_bytes(const plait_exchange_speed* speeds, int count);

/* --- transpose: arrays cut along one axis become cut along another --- */

typedef struct plait_transpose plait_transpose;

/* The array of a rank on one side of a transpose: cut along `axis`, whole along the other axes. */
typedef struct plait_cut {
  int axis;                /* 0 = x, 1 = y, 2 = z */
  const long long* blocks; /* number of indices of each rank along the axis, one per rank; NULL: as
                              even as possible, the larger ones first */
  int order[3];            /* the axes in the order of memory; all zero: x, y, z */
  long long strides[3];    /* distance of neighbours along x, y, z, in elements; all zero: packed in
                              this order */
} plait_cut;

typedef struct plait_transpose_shape {
  long long extents[3];     /* global; with pencils, along the axis that is cut neither before nor
                               after: this rank's */
  plait_cut from, to;       /* before and after */
  size_t element_bytes;     /* 0: 8; 16 for complex numbers of doubles */
  int fields;               /* arrays that travel together; 0: 1 */
  const long long* kept[3]; /* along each axis, the indices that travel: first and last of each
                               range, first <= i < last, ascending; NULL: all. One side has arrays
                               of all indices, the other of the kept ones only, without gaps */
  int kept_ranges[3];       /* number of ranges */
  int expands; /* zero: the source has all indices; nonzero: the destination, whose other elements
                  are set to zero */
} plait_transpose_shape;

/* All zero: one chunk, everything else chosen. */
typedef struct plait_transpose_options {
  int chunks;             /* 0: 1 */
  const char* chunk_axis; /* "x", "y" or "z", whose planes are divided into chunks; NULL: the axis
                             that is cut neither before nor after */
  const char* transport;  /* "automatic" (or NULL), "alltoallv", "alltoallw", "point_to_point",
                             "shared_memory" */
  int in_source_memory; /* nonzero: the sources will be those of plait_transpose_source_memory() */
  const char*
      wait; /* of plait_transpose_finish(): "automatic" (or NULL), "spin", "yield", "sleep" */
  const plait_transpose*
      buffers_of; /* a transpose that this one takes back, chunk by chunk, with no more fields, or
                     NULL. Its buffers serve both if they suffice: finish a chunk of one before you
                     start the same chunk of the other. Either may be freed first */
} plait_transpose_options;

/* The array of this rank on one side. */
typedef struct plait_transpose_array {
  int axis;        /* along which it is cut */
  long long first; /* its indices along that axis, first <= i < last */
  long long last;
  long long extents[3]; /* its elements along x, y, z */
  long long strides[3]; /* distance of neighbours along x, y, z, in elements */
  long long elements;   /* number of elements to allocate */
} plait_transpose_array;

/* In place of the number of a chunk: all chunks at once. */
#define PLAIT_WHOLE (-1)

/* Plans a transpose on the ranks of `comm`, which is duplicated: for slabs all ranks, for pencils
 * those of a row or column. Collective over comm.
 * options: NULL for all zero. *transpose: the new plan, NULL on error.
 * Errors: PLAIT_COLLECTIVE_ERROR if the shape is invalid or differs between ranks, or this MPI or
 * system does not support the transport. */
int plait_transpose_create(MPI_Comm comm, const plait_transpose_shape* shape,
                           const plait_transpose_options* options, plait_transpose** transpose);
/* The same with a Fortran integer communicator. */
int plait_transpose_create_f(MPI_Fint comm, const plait_transpose_shape* shape,
                             const plait_transpose_options* options, plait_transpose** transpose);
/* Frees a transpose and sets *transpose to NULL; does nothing if it is NULL. Free its steppers
 * first. Collective; call it before MPI_Finalize. */
int plait_transpose_free(plait_transpose** transpose);
/* This rank's arrays. Local. */
int plait_transpose_arrays(const plait_transpose* transpose, plait_transpose_array* source,
                           plait_transpose_array* destination);
/* Memory for a source array, valid as long as the transpose; see plait_transpose_options. Local.
 * NULL on error. */
void* plait_transpose_source_memory(plait_transpose* transpose, int field);
/* The transport in use; never "automatic". Valid until the next call. NULL on error. */
const char* plait_transpose_transport(plait_transpose* transpose);
/* Bytes of this rank's message buffers, without those of another transpose, and of its part of the
 * shared window. Local. -1 on error. */
long long plait_transpose_buffer_bytes(const plait_transpose* transpose);

/* Moves all elements. Collective; packs with all OpenMP threads.
 * from, to: one array per field; destinations must not overlap the sources. */
int plait_transpose_execute(plait_transpose* transpose, const void* const* from, void* const* to);
/* The same in chunks. begin() sets the arrays, start() sends a chunk, test() lets MPI progress and
 * says whether finish() would not wait, finish() completes a chunk. Several chunks may be under
 * way. Collective except begin() and test(); chunks in the same order on all ranks. */
int plait_transpose_begin(plait_transpose* transpose, const void* const* from, void* const* to);
int plait_transpose_start(plait_transpose* transpose, int chunk);
int plait_transpose_test(plait_transpose* transpose, int chunk, int* done);
int plait_transpose_finish(plait_transpose* transpose, int chunk);
/* The planes of a chunk: ranges of indices along the chunk axis of the source, or of the
 * destination if `destination` is nonzero. Local. ranges: receives first and last of each range, of
 * at most `most` ranges. *count: their number. */
int plait_transpose_planes(const plait_transpose* transpose, int destination, int chunk,
                           long long* ranges, int most, int* count);

/* Computes on the planes first <= i < last along the chunk axis, in local indices. Several threads
 * call it at the same time on disjoint ranges. It must call neither MPI nor functions of this
 * header but plait_transpose_progress(), and must not throw. */
typedef void (*plait_work)(long long first, long long last, void* context);

typedef struct plait_transpose_stepper plait_transpose_stepper;

/* Creates a stepper, which runs steps of transposes in a row with computation around them.
 * Collective over comm.
 * comm: includes the ranks of all transposes, for example those of all rows and columns of pencils;
 * MPI_COMM_NULL: that of the first transpose.
 * transposes, count: must outlive the stepper; the destination planes of each chunk of one are the
 * source planes of the next.
 * schedule: "blocking", "nonblocking", "polled", "comm_thread" or "automatic", with options as for
 * plait_stepper_create(), or NULL. *stepper: NULL on error.
 * Errors: PLAIT_COLLECTIVE_ERROR if the schedule is invalid, differs between ranks or needs a
 * higher thread level, or the planes do not fit. */
int plait_transpose_stepper_create(MPI_Comm comm, plait_transpose* const* transposes, int count,
                                   const char* schedule, plait_transpose_stepper** stepper);
/* The same with a Fortran integer communicator. */
int plait_transpose_stepper_create_f(MPI_Fint comm, plait_transpose* const* transposes, int count,
                                     const char* schedule, plait_transpose_stepper** stepper);
/* Frees a stepper and sets *stepper to NULL; does nothing if it is NULL. Collective. */
int plait_transpose_stepper_free(plait_transpose_stepper** stepper);
/* Runs one step: work, transpose, work and so on. Collective.
 * from, to: the arrays of all fields of the first transpose, then those of the next.
 * works: one more than transposes; each may be NULL. context: passed to them.
 * Errors: PLAIT_COLLECTIVE_ERROR in verify mode (PLAIT_VERIFY=1) if an element differs from a
 * blocking transpose. */
int plait_transpose_step(plait_transpose_stepper* stepper, const void* const* from, void* const* to,
                         const plait_work* works, void* context);
/* Lets the messages of a step progress if its schedule is "polled" and the calling thread is the
 * one that communicates; does nothing otherwise, or if it did so a moment ago. For works whose
 * planes take long. Local. */
int plait_transpose_progress(plait_transpose_stepper* stepper);
/* As plait_stepper_schedule() and plait_stepper_explain(). */
const char* plait_transpose_stepper_schedule(plait_transpose_stepper* stepper);
const char* plait_transpose_stepper_explain(plait_transpose_stepper* stepper);

/* --- reductions over the own cells of all ranks --- */

/* Largest |a - b|; NaN if any cell is NaN. Fields of doubles. Collective. */
int plait_max_change(const plait_grid* grid, const plait_view* a, const plait_view* b,
                     double* result);
/* The sum, rounded once: the same bits for any number of ranks and threads. Fields of doubles.
 * Collective. */
int plait_exact_sum(const plait_grid* grid, const plait_view* field, double* result);
/* Euclidean norm, from the exact sum of the rounded squares. Fields of doubles. Collective. */

int plait_norm(const plait_grid* grid, const plait_view* field, double* result);

#ifdef __cplusplus
}
#endif

#endif /* PLAIT_PLAIT_H */
