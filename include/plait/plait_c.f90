! SPDX-License-Identifier: BSD-3-Clause
! The C functions and structs of plait.h that the module plait uses, and the conversion of texts and
! statuses. Programs use the module plait.
module plait_c
  use, intrinsic :: iso_c_binding
  implicit none
  public

  ! The layout of an array: the struct plait_view of plait.h. Created by plait_view(grid, u).
  type, bind(C) :: plait_view
    type(c_ptr) :: origin = c_null_ptr
    integer(c_size_t) :: element_bytes = 0
    integer(c_int) :: own(3) = 0
    integer(c_int) :: ghost = 0
    integer(c_intptr_t) :: stride_y = 0
    integer(c_intptr_t) :: stride_z = 0
  end type plait_view

  type, bind(C) :: grid_options
    integer(c_int) :: ranks(3) = 0
    integer(c_int) :: periodic(3) = 0
    type(c_ptr) :: map = c_null_ptr
    type(c_ptr) :: coordinates = c_null_ptr
  end type grid_options

  type, bind(C) :: halo_options
    integer(c_int) :: width = 0
    integer(c_int) :: edges_and_corners = 0
    type(c_ptr) :: transport = c_null_ptr
    type(c_ptr) :: packing = c_null_ptr
    integer(c_int) :: mirror(6) = 0
  end type halo_options

  type, bind(C) :: grains_options
    integer(c_int) :: threads = 0
    integer(c_int) :: first_thread = 0
    integer(c_int) :: channels = 0
    integer(c_int) :: before = 0
    type(c_ptr) :: wait = c_null_ptr
  end type grains_options

  ! Where the time of a run of grains went, in seconds: the struct plait_grains_times of plait.h.
  type, bind(C) :: plait_grains_times
    real(c_double) :: total_s = 0
    real(c_double) :: before_s = 0
    real(c_double) :: communicating_s = 0
    real(c_double) :: waiting_s = 0
    real(c_double) :: grain_s = 0
    real(c_double) :: message_s = 0
    integer(c_int) :: before = 0
  end type plait_grains_times

  ! A measured exchange of messages: the struct plait_exchange_speed of plait.h.
  type, bind(C) :: plait_exchange_speed
    real(c_double) :: bytes = 0
    real(c_double) :: bytes_per_s = 0
  end type plait_exchange_speed

  interface
    function c_last_error() bind(C, name="plait_last_error") result(text)
      import
      type(c_ptr) :: text
    end function c_last_error
    function c_agree(grid, status) bind(C, name="plait_agree") result(agreed)
      import
      type(c_ptr), value :: grid
      integer(c_int), value :: status
      integer(c_int) :: agreed
    end function c_agree
    subroutine c_check(status) bind(C, name="plait_check")
      import
      integer(c_int), value :: status
    end subroutine c_check
    function c_grid_create(comm, cells, options, grid) bind(C, name="plait_grid_create_f") &
        result(status)
      import
      integer(c_int), value :: comm
      integer(c_int), intent(in) :: cells(3)
      type(grid_options), intent(in) :: options
      type(c_ptr), intent(out) :: grid
      integer(c_int) :: status
    end function c_grid_create
    function c_grid_free(grid) bind(C, name="plait_grid_free") result(status)
      import
      type(c_ptr), intent(inout) :: grid
      integer(c_int) :: status
    end function c_grid_free
    function c_grid_rank(grid, rank, ranks) bind(C, name="plait_grid_rank") result(status)
      import
      type(c_ptr), value :: grid
      integer(c_int), intent(out) :: rank, ranks
      integer(c_int) :: status
    end function c_grid_rank
    function c_grid_ranks(grid, ranks, coordinates) bind(C, name="plait_grid_ranks") &
        result(status)
      import
      type(c_ptr), value :: grid
      integer(c_int), intent(out) :: ranks(3), coordinates(3)
      integer(c_int) :: status
    end function c_grid_ranks
    function c_grid_own(grid, first, last) bind(C, name="plait_grid_own") result(status)
      import
      type(c_ptr), value :: grid
      integer(c_int), intent(out) :: first(3), last(3)
      integer(c_int) :: status
    end function c_grid_own
    function c_grid_neighbour(grid, offset, rank) bind(C, name="plait_grid_neighbour") &
        result(status)
      import
      type(c_ptr), value :: grid
      integer(c_int), intent(in) :: offset(3)
      integer(c_int), intent(out) :: rank
      integer(c_int) :: status
    end function c_grid_neighbour
    function c_grid_report(grid) bind(C, name="plait_grid_report") result(text)
      import
      type(c_ptr), value :: grid
      type(c_ptr) :: text
    end function c_grid_report
    ! Stengel's subdomainMap, as in plait.h; returns a plait_status. With n = product(dims),
    ! rank_coord(:, 1 + rank) are the coordinates of a rank, and coord_rank(1 + c(3) + dims(3) *
    ! (c(2) + dims(2) * c(1))) is the rank at c. Ranks and coordinates count from 0. Local.
    function plait_subdomain_map(dims, node_dims, rank_coord, coord_rank) bind(C) result(status)
      import
      integer(c_int), intent(in) :: dims(3), node_dims(3)
      integer(c_int), intent(out) :: rank_coord(3, *), coord_rank(*)
      integer(c_int) :: status
    end function plait_subdomain_map
    ! Stengel's neighborRank in such a map. periodic: 1 for periodic axes, else 0. neighbor:
    ! MPI_PROC_NULL beyond an open axis. Returns a plait_status. Local.
    function plait_neighbor_rank(rank, offset, dims, periodic, rank_coord, coord_rank, neighbor) &
        bind(C) result(status)
      import
      integer(c_int), value :: rank
      integer(c_int), intent(in) :: offset(3), dims(3), periodic(3), rank_coord(3, *), coord_rank(*)
      integer(c_int), intent(out) :: neighbor
      integer(c_int) :: status
    end function plait_neighbor_rank
    function c_view_of_array(grid, first, element_bytes, extents, strides, view) &
        bind(C, name="plait_view_of_array") result(status)
      import
      type(c_ptr), value :: grid, first
      integer(c_size_t), value :: element_bytes
      integer(c_int), intent(in) :: extents(3)
      integer(c_intptr_t), intent(in) :: strides(3)
      type(plait_view), intent(out) :: view
      integer(c_int) :: status
    end function c_view_of_array
    function c_field_create(grid, ghost, element_bytes, field) bind(C, name="plait_field_create") &
        result(status)
      import
      type(c_ptr), value :: grid
      integer(c_int), value :: ghost
      integer(c_size_t), value :: element_bytes
      type(c_ptr), intent(out) :: field
      integer(c_int) :: status
    end function c_field_create
    subroutine c_field_free(field) bind(C, name="plait_field_free")
      import
      type(c_ptr), intent(inout) :: field
    end subroutine c_field_free
    function c_field_view(field) bind(C, name="plait_field_view") result(view)
      import
      type(c_ptr), value :: field
      type(plait_view) :: view
    end function c_field_view
    function c_halo_create(grid, layout, count, options, halo) &
        bind(C, name="plait_halo_create") result(status)
      import
      type(c_ptr), value :: grid
      type(plait_view), intent(in) :: layout(*)
      integer(c_int), value :: count
      type(halo_options), intent(in) :: options
      type(c_ptr), intent(out) :: halo
      integer(c_int) :: status
    end function c_halo_create
    function c_halo_free(halo) bind(C, name="plait_halo_free") result(status)
      import
      type(c_ptr), intent(inout) :: halo
      integer(c_int) :: status
    end function c_halo_free
    function c_halo_exchange(halo, fields, count) bind(C, name="plait_halo_exchange") &
        result(status)
      import
      type(c_ptr), value :: halo
      type(plait_view), intent(in) :: fields(*)
      integer(c_int), value :: count
      integer(c_int) :: status
    end function c_halo_exchange
    function c_halo_start(halo, fields, count) bind(C, name="plait_halo_start") result(status)
      import
      type(c_ptr), value :: halo
      type(plait_view), intent(in) :: fields(*)
      integer(c_int), value :: count
      integer(c_int) :: status
    end function c_halo_start
    function c_halo_finish(halo) bind(C, name="plait_halo_finish") result(status)
      import
      type(c_ptr), value :: halo
      integer(c_int) :: status
    end function c_halo_finish
    function c_stepper_create(halo, schedule, stepper) bind(C, name="plait_stepper_create") &
        result(status)
      import
      type(c_ptr), value :: halo, schedule
      type(c_ptr), intent(out) :: stepper
      integer(c_int) :: status
    end function c_stepper_create
    function c_stepper_free(stepper) bind(C, name="plait_stepper_free") result(status)
      import
      type(c_ptr), intent(inout) :: stepper
      integer(c_int) :: status
    end function c_stepper_free
    function c_step(stepper, fields, count, update, context) bind(C, name="plait_step") &
        result(status)
      import
      type(c_ptr), value :: stepper, context
      type(plait_view), intent(in) :: fields(*)
      integer(c_int), value :: count
      type(c_funptr), value :: update
      integer(c_int) :: status
    end function c_step
    function c_advance(stepper, fields, count, update, context) bind(C, name="plait_advance") &
        result(status)
      import
      type(c_ptr), value :: stepper, context
      type(plait_view), intent(in) :: fields(*)
      integer(c_int), value :: count
      type(c_funptr), value :: update
      integer(c_int) :: status
    end function c_advance
    function c_measure(stepper, fields, count, repetitions, update, context) &
        bind(C, name="plait_stepper_measure") result(status)
      import
      type(c_ptr), value :: stepper, context
      type(plait_view), intent(in) :: fields(*)
      integer(c_int), value :: count, repetitions
      type(c_funptr), value :: update
      integer(c_int) :: status
    end function c_measure
    function c_schedule(stepper) bind(C, name="plait_stepper_schedule") result(text)
      import
      type(c_ptr), value :: stepper
      type(c_ptr) :: text
    end function c_schedule
    function c_explain(stepper) bind(C, name="plait_stepper_explain") result(text)
      import
      type(c_ptr), value :: stepper
      type(c_ptr) :: text
    end function c_explain
    function c_max_change(grid, a, b, change) bind(C, name="plait_max_change") result(status)
      import
      type(c_ptr), value :: grid
      type(plait_view), intent(in) :: a, b
      real(c_double), intent(out) :: change
      integer(c_int) :: status
    end function c_max_change
    function c_exact_sum(grid, field, total) bind(C, name="plait_exact_sum") result(status)
      import
      type(c_ptr), value :: grid
      type(plait_view), intent(in) :: field
      real(c_double), intent(out) :: total
      integer(c_int) :: status
    end function c_exact_sum
    function c_norm(grid, field, total) bind(C, name="plait_norm") result(status)
      import
      type(c_ptr), value :: grid
      type(plait_view), intent(in) :: field
      real(c_double), intent(out) :: total
      integer(c_int) :: status
    end function c_norm
    function c_grains_create(name, options, block) bind(C, name="plait_grains_create") &
        result(status)
      import
      character(kind=c_char), intent(in) :: name(*)
      type(grains_options), intent(in) :: options
      type(c_ptr), intent(out) :: block
      integer(c_int) :: status
    end function c_grains_create
    function c_grains_free(block) bind(C, name="plait_grains_free") result(status)
      import
      type(c_ptr), intent(inout) :: block
      integer(c_int) :: status
    end function c_grains_free
    function c_grains_compute(block, name, parts, run, context, task) &
        bind(C, name="plait_grains_compute") result(status)
      import
      type(c_ptr), value :: block, context
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: parts
      type(c_funptr), value :: run
      integer(c_int), intent(out) :: task
      integer(c_int) :: status
    end function c_grains_compute
    function c_grains_compute_in_order(block, name, parts, run, context, task) &
        bind(C, name="plait_grains_compute_in_order") result(status)
      import
      type(c_ptr), value :: block, context
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: parts
      type(c_funptr), value :: run
      integer(c_int), intent(out) :: task
      integer(c_int) :: status
    end function c_grains_compute_in_order
    function c_grains_communicate(block, name, parts, run, context, task) &
        bind(C, name="plait_grains_communicate") result(status)
      import
      type(c_ptr), value :: block, context
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: parts
      type(c_funptr), value :: run
      integer(c_int), intent(out) :: task
      integer(c_int) :: status
    end function c_grains_communicate
    function c_grains_begin(block, name, parts, count, begin, context, task) &
        bind(C, name="plait_grains_begin_communication_f") result(status)
      import
      type(c_ptr), value :: block, context
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: parts, count
      type(c_funptr), value :: begin
      integer(c_int), intent(out) :: task
      integer(c_int) :: status
    end function c_grains_begin
    function c_grains_on_progress(block, progress, context) &
        bind(C, name="plait_grains_on_progress") result(status)
      import
      type(c_ptr), value :: block, context
      type(c_funptr), value :: progress
      integer(c_int) :: status
    end function c_grains_on_progress
    function c_grains_after(block, later, earlier) bind(C, name="plait_grains_after") &
        result(status)
      import
      type(c_ptr), value :: block
      integer(c_int), value :: later, earlier
      integer(c_int) :: status
    end function c_grains_after
    function c_grains_after_each(block, later, earlier) bind(C, name="plait_grains_after_each") &
        result(status)
      import
      type(c_ptr), value :: block
      integer(c_int), value :: later, earlier
      integer(c_int) :: status
    end function c_grains_after_each
    function c_grains_run(block) bind(C, name="plait_grains_run") result(status)
      import
      type(c_ptr), value :: block
      integer(c_int) :: status
    end function c_grains_run
    function c_grains_graph(block) bind(C, name="plait_grains_graph") result(text)
      import
      type(c_ptr), value :: block
      type(c_ptr) :: text
    end function c_grains_graph
    function c_grains_last_times(block, times) bind(C, name="plait_grains_last_times") &
        result(status)
      import
      type(c_ptr), value :: block
      type(plait_grains_times), intent(out) :: times
      integer(c_int) :: status
    end function c_grains_last_times
    function c_grains_before(grains, messages, threads, grain_s, message_s) &
        bind(C, name="plait_grains_before") result(before)
      import
      integer(c_int), value :: grains, messages, threads
      real(c_double), value :: grain_s, message_s
      integer(c_int) :: before
    end function c_grains_before
    function c_measure_exchange(comm, partner, speeds) &
        bind(C, name="plait_measure_exchange_f") result(status)
      import
      integer(c_int), value :: comm, partner
      type(plait_exchange_speed), intent(inout) :: speeds(*)
      integer(c_int) :: status
    end function c_measure_exchange
    function c_grain_bytes(speeds, count) bind(C, name="plait_grain_bytes") result(bytes)
      import
      type(plait_exchange_speed), intent(in) :: speeds(*)
      integer(c_int), value :: count
      real(c_double) :: bytes
    end function c_grain_bytes
    function c_strlen(text) bind(C, name="strlen") result(length)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function c_strlen
  end interface

contains

  ! Returns a status if it is present; otherwise ends the program on an error.
  subroutine settle(code, status)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: status
    if (present(status)) then
      status = code
    else
      call c_check(code)
    end if
  end subroutine settle

  ! The text of a char*; empty for a null pointer.
  function text_of(from) result(text)
    type(c_ptr), intent(in) :: from
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    text = ""
    if (.not. c_associated(from)) return
    call c_f_pointer(from, letters, [c_strlen(from)])
    text = repeat(" ", size(letters))
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function text_of

  ! A text as a null-terminated array for C; trailing blanks are dropped.
  function letters_of(text) result(letters)
    character(len=*), intent(in) :: text
    character(kind=c_char), allocatable :: letters(:)
    integer :: i
    allocate (letters(len_trim(text) + 1))
    do i = 1, len_trim(text)
      letters(i) = text(i:i)
    end do
    letters(size(letters)) = c_null_char
  end function letters_of

end module plait_c
