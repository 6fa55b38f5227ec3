! SPDX-License-Identifier: BSD-3-Clause
! The library for Fortran: grid, field, halo, step and grains, on top of the C functions of plait.h.
!
!     use plait
!     type(plait_grid) :: grid
!     type(plait_halo) :: halo
!     type(plait_stepper) :: stepper
!     call plait_grid_create(grid, MPI_COMM_WORLD%MPI_VAL, [720, 240, 240])
!     own = plait_own_cells(grid)
!     allocate (u(0:own(1)+1, 0:own(2)+1, 0:own(3)+1))      ! 1 - ghosts : own cells + ghosts
!     call plait_halo_create(halo, grid, u)
!     call plait_stepper_create(stepper, halo)
!     call plait_step(stepper, u, update)
!
! Cells count from 1 and boxes are first(d) <= i <= last(d), so ghosts are 1 - ghosts to 0 and above
! own(d). Axis 1 is x, contiguous in memory. Communicators are integers, as in mpif.h and the module
! mpi; with mpi_f08 pass comm%MPI_VAL. plait.h describes which functions are collective and further
! details; its plait_status lists the values of `status`. Without the argument `status`, an error is
! printed and ends the program on all ranks.
!
! Compile plait_c.f90, plait_grains.f90 and this file with the program, with any compiler for
! Fortran 2018 (a .mod file fits only one compiler). They need libplait.so and no MPI module.
!
! Pass arrays of real(c_double) directly and other types by plait_view(). Declare arrays as `target`
! if plait_start() is called on them.
module plait
  use, intrinsic :: iso_c_binding
  use plait_c
  use plait_grain_blocks
  implicit none
  private

  public :: plait_grid, plait_field, plait_halo, plait_stepper, plait_view, plait_update
  public :: plait_grid_create, plait_own_cells, plait_own, plait_rank, plait_ranks
  public :: plait_neighbour, plait_report, plait_subdomain_map, plait_neighbor_rank
  public :: plait_field_create
  public :: plait_halo_create, plait_exchange, plait_start, plait_finish
  public :: plait_stepper_create, plait_step, plait_advance, plait_measure
  public :: plait_schedule, plait_explain
  public :: plait_max_change, plait_exact_sum, plait_norm
  public :: plait_free, plait_last_error
  public :: plait_grains, plait_grains_times, plait_grains_part, plait_grains_begin
  public :: plait_grains_create, plait_grains_compute, plait_grains_compute_in_order
  public :: plait_grains_communicate, plait_grains_begin_communication, plait_grains_after
  public :: plait_grains_progress, plait_grains_on_progress
  public :: plait_grains_after_each, plait_grains_run, plait_grains_graph, plait_grains_last_times
  public :: plait_grains_before, plait_grain_bytes
  public :: plait_exchange_speed, plait_exchange_sizes, plait_measure_exchange

  ! Global cells cut into one box per rank.
  type :: plait_grid
    private
    type(c_ptr) :: handle = c_null_ptr
  end type plait_grid

  ! Memory of the library for one array.
  type :: plait_field
    private
    type(c_ptr) :: handle = c_null_ptr
  end type plait_field

  ! A plan for the exchange of ghosts.
  type :: plait_halo
    private
    type(c_ptr) :: handle = c_null_ptr
    type(c_ptr) :: grid = c_null_ptr
  end type plait_halo

  ! Runs steps of a halo under a schedule.
  type :: plait_stepper
    private
    type(c_ptr) :: handle = c_null_ptr
    type(c_ptr) :: grid = c_null_ptr
  end type plait_stepper

  abstract interface
    ! Computes the new values of the cells first(d) <= i <= last(d). Several threads call it at the
    ! same time on disjoint boxes. It must write nothing that another call reads and must not call
    ! MPI. Each call needs its own local variables: compile it with OpenMP or make it `recursive`.
    subroutine plait_update(first, last)
      integer, intent(in) :: first(3), last(3)
    end subroutine plait_update
  end interface

  ! Passed to the update through C's void*.
  type :: update_holder
    procedure(plait_update), pointer, nopass :: update => null()
  end type update_holder

  ! Returns the view of an array with its ghosts: the extents are own cells + 2 * ghosts, and rows
  ! along x are contiguous. plait_view(grid, array [, status]). Local.
  interface plait_view
    module procedure view_double, view_float, view_int, view_long
  end interface plait_view

  ! plait_halo_create(halo, grid, u [, width, edges_and_corners, transport, packing, mirror,
  ! status]): u is an array, or an array of views. mirror: whether the ghosts at x low, x high,
  ! y low, y high, z low, z high mirror the own cells if that end is open. Collective.
  interface plait_halo_create
    module procedure halo_create_views, halo_create_array
  end interface plait_halo_create

  ! plait_exchange(halo, u [, status]) fills the ghosts of u. Collective.
  interface plait_exchange
    module procedure exchange_views, exchange_array
  end interface plait_exchange

  ! plait_start(halo, u [, status]) is the first half; plait_finish(halo [, status]) is the second.
  interface plait_start
    module procedure start_views, start_array
  end interface plait_start

  ! plait_step(stepper, u, update [, status]) runs a step and, during the update, exchanges the
  ! ghosts of u, which update() reads. Collective.
  interface plait_step
    module procedure step_views, step_array
  end interface plait_step

  ! plait_advance(stepper, u, update [, status]) updates the boundary first and, during the rest of
  ! the update, exchanges the ghosts of u, which update() writes. Collective.
  interface plait_advance
    module procedure advance_views, advance_array
  end interface plait_advance

  ! plait_free(x [, status]) frees a stepper, halo or grid, in this order. Collective; call it
  ! before MPI_Finalize. plait_free(field) and plait_free(block) free a field and a block. Local.
  interface plait_free
    module procedure free_grid, free_field, free_halo, free_stepper, free_grains
  end interface plait_free

contains

  ! The text of the last error of this thread.
  function plait_last_error() result(text)
    character(len=:), allocatable :: text
    text = text_of(c_last_error())
  end function plait_last_error

  ! Cuts cells(1) x cells(2) x cells(3) global cells into one box per rank of `comm`, an integer
  ! communicator. Collective. ranks: ranks along each axis, 0 to let the library choose. periodic:
  ! whether each axis is periodic. map: "automatic", "row_major", "mpi", "node_blocked", "portfolio"
  ! or "given". coordinates(:, 1 + rank), for "given": the coordinates of each rank, counted from 0,
  ! as from plait_subdomain_map().
  subroutine plait_grid_create(grid, comm, cells, ranks, periodic, map, status, coordinates)
    type(plait_grid), intent(out) :: grid
    integer, intent(in) :: comm, cells(3)
    integer, intent(in), optional :: ranks(3)
    logical, intent(in), optional :: periodic(3)
    character(len=*), intent(in), optional :: map
    integer, intent(out), optional :: status
    integer, intent(in), contiguous, target, optional :: coordinates(:, :)
    type(grid_options) :: options
    character(kind=c_char), allocatable, target :: map_letters(:)
    if (present(ranks)) options%ranks = ranks
    if (present(periodic)) options%periodic = merge(1, 0, periodic)
    if (present(map)) then
      map_letters = letters_of(map)
      options%map = c_loc(map_letters)
    end if
    if (present(coordinates)) options%coordinates = c_loc(coordinates)
    call settle(c_grid_create(comm, cells, options, grid%handle), status)
  end subroutine plait_grid_create

  ! This rank's global cells, first(d) <= i <= last(d). Local.
  subroutine plait_own(grid, first, last)
    type(plait_grid), intent(in) :: grid
    integer, intent(out) :: first(3), last(3)
    call c_check(c_grid_own(grid%handle, first, last))
    first = first + 1
  end subroutine plait_own

  ! Number of this rank's cells along each axis. Local.
  function plait_own_cells(grid) result(cells)
    type(plait_grid), intent(in) :: grid
    integer :: cells(3)
    integer :: first(3), last(3)
    call plait_own(grid, first, last)
    cells = last - first + 1
  end function plait_own_cells

  ! This rank, counted from 0 as in MPI. Local.
  function plait_rank(grid) result(rank)
    type(plait_grid), intent(in) :: grid
    integer :: rank
    integer :: ranks
    call c_check(c_grid_rank(grid%handle, rank, ranks))
  end function plait_rank

  ! Ranks along each axis, and this rank's coordinates, counted from 0. Local.
  subroutine plait_ranks(grid, ranks, coordinates)
    type(plait_grid), intent(in) :: grid
    integer, intent(out) :: ranks(3), coordinates(3)
    call c_check(c_grid_ranks(grid%handle, ranks, coordinates))
  end subroutine plait_ranks

  ! The rank at an offset from this rank's coordinates; MPI_PROC_NULL beyond the grid. Local.
  function plait_neighbour(grid, offset) result(rank)
    type(plait_grid), intent(in) :: grid
    integer, intent(in) :: offset(3)
    integer :: rank
    call c_check(c_grid_neighbour(grid%handle, offset, rank))
  end function plait_neighbour

  ! One or two sentences on the decomposition. Local.
  function plait_report(grid) result(text)
    type(plait_grid), intent(in) :: grid
    character(len=:), allocatable :: text
    text = text_of(c_grid_report(grid%handle))
  end function plait_report

  ! Allocates an array for this rank's cells: zeroed, padded, first touched by the threads that will
  ! work on it. u gets the lower bounds 1 - ghost. Local.
  subroutine plait_field_create(field, grid, ghost, u, status)
    type(plait_field), intent(out) :: field
    type(plait_grid), intent(in) :: grid
    integer, intent(in) :: ghost
    real(c_double), pointer, intent(out) :: u(:, :, :)
    integer, intent(out), optional :: status
    real(c_double), pointer :: padded(:, :, :)
    type(plait_view) :: view
    type(c_ptr) :: first
    integer(c_intptr_t) :: address
    integer(c_int) :: code
    u => null()
    code = c_field_create(grid%handle, ghost, c_sizeof(1.0_c_double), field%handle)
    if (code == 0) then
      view = c_field_view(field%handle)
      address = transfer(view%origin, address) &
                - ghost * (1 + view%stride_y + view%stride_z) * int(view%element_bytes, c_intptr_t)
      first = transfer(address, first)
      call c_f_pointer(first, padded, [view%stride_y, view%stride_z / view%stride_y, &
                                       int(view%own(3) + 2 * ghost, c_intptr_t)])
      u(1 - ghost:, 1 - ghost:, 1 - ghost:) => &
        padded(:view%own(1) + 2 * ghost, :view%own(2) + 2 * ghost, :)
    end if
    call settle(code, status)
  end subroutine plait_field_create

  ! The view of an array with contiguous rows, from the addresses of its first element and of the
  ! next one along each axis (its own address if there is none).
  function view_of(grid, extents, first, along, element_bytes, status) result(view)
    type(plait_grid), intent(in) :: grid
    integer, intent(in) :: extents(3)
    type(c_ptr), intent(in) :: first, along(3)
    integer(c_size_t), intent(in) :: element_bytes
    integer, intent(out), optional :: status
    type(plait_view) :: view
    integer(c_intptr_t) :: strides(3)
    integer :: d
    do d = 1, 3
      strides(d) = transfer(along(d), strides(d)) - transfer(first, strides(d))
    end do
    if (extents(1) == 1) strides(1) = int(element_bytes, c_intptr_t)
    call settle(c_view_of_array(grid%handle, first, element_bytes, extents, strides, view), status)
  end function view_of

  function view_double(grid, u, status) result(view)
    type(plait_grid), intent(in) :: grid
    real(c_double), target, intent(in) :: u(:, :, :)
    integer, intent(out), optional :: status
    type(plait_view) :: view
    integer :: n(3)
    n = min(shape(u), 2)
    view = view_of(grid, shape(u), c_loc(u(1, 1, 1)), &
                   [c_loc(u(n(1), 1, 1)), c_loc(u(1, n(2), 1)), c_loc(u(1, 1, n(3)))], &
                   c_sizeof(u(1, 1, 1)), status)
  end function view_double

  function view_float(grid, u, status) result(view)
    type(plait_grid), intent(in) :: grid
    real(c_float), target, intent(in) :: u(:, :, :)
    integer, intent(out), optional :: status
    type(plait_view) :: view
    integer :: n(3)
    n = min(shape(u), 2)
    view = view_of(grid, shape(u), c_loc(u(1, 1, 1)), &
                   [c_loc(u(n(1), 1, 1)), c_loc(u(1, n(2), 1)), c_loc(u(1, 1, n(3)))], &
                   c_sizeof(u(1, 1, 1)), status)
  end function view_float

  function view_int(grid, u, status) result(view)
    type(plait_grid), intent(in) :: grid
    integer(c_int), target, intent(in) :: u(:, :, :)
    integer, intent(out), optional :: status
    type(plait_view) :: view
    integer :: n(3)
    n = min(shape(u), 2)
    view = view_of(grid, shape(u), c_loc(u(1, 1, 1)), &
                   [c_loc(u(n(1), 1, 1)), c_loc(u(1, n(2), 1)), c_loc(u(1, 1, n(3)))], &
                   c_sizeof(u(1, 1, 1)), status)
  end function view_int

  function view_long(grid, u, status) result(view)
    type(plait_grid), intent(in) :: grid
    integer(c_long_long), target, intent(in) :: u(:, :, :)
    integer, intent(out), optional :: status
    type(plait_view) :: view
    integer :: n(3)
    n = min(shape(u), 2)
    view = view_of(grid, shape(u), c_loc(u(1, 1, 1)), &
                   [c_loc(u(n(1), 1, 1)), c_loc(u(1, n(2), 1)), c_loc(u(1, 1, n(3)))], &
                   c_sizeof(u(1, 1, 1)), status)
  end function view_long

  ! True if an array has a view on this grid; handles the error if it has none.
  function fits(grid, u, field, status)
    type(c_ptr), intent(in) :: grid
    real(c_double), target, intent(in) :: u(:, :, :)
    type(plait_view), intent(out) :: field
    integer, intent(out), optional :: status
    logical :: fits
    integer :: code
    field = view_double(plait_grid(grid), u, code)
    fits = code == 0
    if (.not. fits) call settle(code, status)
  end function fits

  subroutine halo_create_views(halo, grid, fields, width, edges_and_corners, transport, packing, &
                               mirror, status)
    type(plait_halo), intent(out) :: halo
    type(plait_grid), intent(in) :: grid
    type(plait_view), intent(in) :: fields(:)
    integer, intent(in), optional :: width
    logical, intent(in), optional :: edges_and_corners, mirror(6)
    character(len=*), intent(in), optional :: transport, packing
    integer, intent(out), optional :: status
    type(halo_options) :: options
    character(kind=c_char), allocatable, target :: transport_letters(:), packing_letters(:)
    if (present(width)) options%width = width
    if (present(edges_and_corners)) options%edges_and_corners = merge(1, 0, edges_and_corners)
    if (present(mirror)) options%mirror = merge(1, 0, mirror)
    if (present(transport)) then
      transport_letters = letters_of(transport)
      options%transport = c_loc(transport_letters)
    end if
    if (present(packing)) then
      packing_letters = letters_of(packing)
      options%packing = c_loc(packing_letters)
    end if
    halo%grid = grid%handle
    call settle(c_halo_create(grid%handle, fields, size(fields), options, halo%handle), status)
  end subroutine halo_create_views

  subroutine halo_create_array(halo, grid, u, width, edges_and_corners, transport, packing, &
                               mirror, status)
    type(plait_halo), intent(out) :: halo
    type(plait_grid), intent(in) :: grid
    real(c_double), target, intent(in) :: u(:, :, :)
    integer, intent(in), optional :: width
    logical, intent(in), optional :: edges_and_corners, mirror(6)
    character(len=*), intent(in), optional :: transport, packing
    integer, intent(out), optional :: status
    type(plait_view) :: field
    integer :: code
    field = view_double(grid, u, code)
    code = c_agree(grid%handle, code)
    if (code == 0) then
      call halo_create_views(halo, grid, [field], width, edges_and_corners, transport, packing, &
                             mirror, status)
    else
      call settle(code, status)
    end if
  end subroutine halo_create_array

  subroutine exchange_views(halo, fields, status)
    type(plait_halo), intent(in) :: halo
    type(plait_view), intent(in) :: fields(:)
    integer, intent(out), optional :: status
    call settle(c_halo_exchange(halo%handle, fields, size(fields)), status)
  end subroutine exchange_views

  subroutine exchange_array(halo, u, status)
    type(plait_halo), intent(in) :: halo
    real(c_double), target, intent(inout) :: u(:, :, :)
    integer, intent(out), optional :: status
    type(plait_view) :: field
    if (fits(halo%grid, u, field, status)) call exchange_views(halo, [field], status)
  end subroutine exchange_array

  subroutine start_views(halo, fields, status)
    type(plait_halo), intent(in) :: halo
    type(plait_view), intent(in) :: fields(:)
    integer, intent(out), optional :: status
    call settle(c_halo_start(halo%handle, fields, size(fields)), status)
  end subroutine start_views

  subroutine start_array(halo, u, status)
    type(plait_halo), intent(in) :: halo
    real(c_double), target, intent(inout) :: u(:, :, :)
    integer, intent(out), optional :: status
    type(plait_view) :: field
    if (fits(halo%grid, u, field, status)) call start_views(halo, [field], status)
  end subroutine start_array

  ! Finishes an exchange: the ghosts are valid on return. Collective.
  subroutine plait_finish(halo, status)
    type(plait_halo), intent(in) :: halo
    integer, intent(out), optional :: status
    call settle(c_halo_finish(halo%handle), status)
  end subroutine plait_finish

  ! Creates a stepper. schedule: "blocking", "comm_thread,wait=sleep" and so on; if absent, that of
  ! the environment variable PLAIT_SCHEDULE, else automatic. Collective.
  subroutine plait_stepper_create(stepper, halo, schedule, status)
    type(plait_stepper), intent(out) :: stepper
    type(plait_halo), intent(in) :: halo
    character(len=*), intent(in), optional :: schedule
    integer, intent(out), optional :: status
    character(kind=c_char), allocatable, target :: letters(:)
    type(c_ptr) :: text
    text = c_null_ptr
    if (present(schedule)) then
      letters = letters_of(schedule)
      text = c_loc(letters)
    end if
    stepper%grid = halo%grid
    call settle(c_stepper_create(halo%handle, text, stepper%handle), status)
  end subroutine plait_stepper_create

  ! The update for C: calls the procedure in the holder at `context`, with Fortran's indices.
  recursive subroutine call_update(first, last, context) bind(C)
    integer(c_int), intent(in) :: first(3), last(3)
    type(c_ptr), value :: context
    type(update_holder), pointer :: holder
    call c_f_pointer(context, holder)
    call holder%update(first + 1, last)
  end subroutine call_update

  subroutine step_views(stepper, fields, update, status)
    type(plait_stepper), intent(in) :: stepper
    type(plait_view), intent(in) :: fields(:)
    procedure(plait_update) :: update
    integer, intent(out), optional :: status
    type(update_holder), target :: holder
    holder%update => update
    call settle(c_step(stepper%handle, fields, size(fields), c_funloc(call_update), &
                       c_loc(holder)), status)
  end subroutine step_views

  subroutine step_array(stepper, u, update, status)
    type(plait_stepper), intent(in) :: stepper
    real(c_double), target, intent(inout) :: u(:, :, :)
    procedure(plait_update) :: update
    integer, intent(out), optional :: status
    type(plait_view) :: field
    if (fits(stepper%grid, u, field, status)) call step_views(stepper, [field], update, status)
  end subroutine step_array

  subroutine advance_views(stepper, fields, update, status)
    type(plait_stepper), intent(in) :: stepper
    type(plait_view), intent(in) :: fields(:)
    procedure(plait_update) :: update
    integer, intent(out), optional :: status
    type(update_holder), target :: holder
    holder%update => update
    call settle(c_advance(stepper%handle, fields, size(fields), c_funloc(call_update), &
                          c_loc(holder)), status)
  end subroutine advance_views

  subroutine advance_array(stepper, u, update, status)
    type(plait_stepper), intent(in) :: stepper
    real(c_double), target, intent(inout) :: u(:, :, :)
    procedure(plait_update) :: update
    integer, intent(out), optional :: status
    type(plait_view) :: field
    if (fits(stepper%grid, u, field, status)) call advance_views(stepper, [field], update, status)
  end subroutine advance_array

  ! Measures what plait_explain() reports, by `repetitions` steps of every schedule. Collective.
  subroutine plait_measure(stepper, u, repetitions, update, status)
    type(plait_stepper), intent(in) :: stepper
    real(c_double), target, intent(inout) :: u(:, :, :)
    integer, intent(in) :: repetitions
    procedure(plait_update) :: update
    integer, intent(out), optional :: status
    type(update_holder), target :: holder
    type(plait_view) :: field
    if (.not. fits(stepper%grid, u, field, status)) return
    holder%update => update
    call settle(c_measure(stepper%handle, [field], 1, repetitions, c_funloc(call_update), &
                          c_loc(holder)), status)
  end subroutine plait_measure

  ! The schedule in use, in the form that plait_stepper_create() reads. Local.
  function plait_schedule(stepper) result(text)
    type(plait_stepper), intent(in) :: stepper
    character(len=:), allocatable :: text
    text = text_of(c_schedule(stepper%handle))
  end function plait_schedule

  ! A table of computation, communication and each schedule's time, with the reason for this one.
  ! Local.
  function plait_explain(stepper) result(text)
    type(plait_stepper), intent(in) :: stepper
    character(len=:), allocatable :: text
    text = text_of(c_explain(stepper%handle))
  end function plait_explain

  ! Largest |a - b| over the own cells of all ranks. Collective.
  function plait_max_change(grid, a, b) result(change)
    type(plait_grid), intent(in) :: grid
    real(c_double), target, intent(in) :: a(:, :, :), b(:, :, :)
    real(c_double) :: change
    call c_check(c_max_change(grid%handle, view_double(grid, a), view_double(grid, b), change))
  end function plait_max_change

  ! Sum of the own cells of all ranks, rounded once: the same bits for any number of ranks and
  ! threads. Collective.
  function plait_exact_sum(grid, u) result(total)
    type(plait_grid), intent(in) :: grid
    real(c_double), target, intent(in) :: u(:, :, :)
    real(c_double) :: total
    call c_check(c_exact_sum(grid%handle, view_double(grid, u), total))
  end function plait_exact_sum

  ! Euclidean norm of the own cells of all ranks. Collective.
  function plait_norm(grid, u) result(total)
    type(plait_grid), intent(in) :: grid
    real(c_double), target, intent(in) :: u(:, :, :)
    real(c_double) :: total
    call c_check(c_norm(grid%handle, view_double(grid, u), total))
  end function plait_norm

  subroutine free_grid(grid, status)
    type(plait_grid), intent(inout) :: grid
    integer, intent(out), optional :: status
    call settle(c_grid_free(grid%handle), status)
  end subroutine free_grid

  subroutine free_field(field)
    type(plait_field), intent(inout) :: field
    call c_field_free(field%handle)
  end subroutine free_field

  subroutine free_halo(halo, status)
    type(plait_halo), intent(inout) :: halo
    integer, intent(out), optional :: status
    call settle(c_halo_free(halo%handle), status)
  end subroutine free_halo

  subroutine free_stepper(stepper, status)
    type(plait_stepper), intent(inout) :: stepper
    integer, intent(out), optional :: status
    call settle(c_stepper_free(stepper%handle), status)
  end subroutine free_stepper

end module plait
