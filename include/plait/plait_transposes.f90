! SPDX-License-Identifier: BSD-3-Clause
! Transposes for Fortran, on top of the C functions of plait.h: arrays that are cut along one axis
! become cut along another.
!
!     use plait_transposes
!     type(plait_transpose) :: to_y
!     call plait_transpose_create(to_y, MPI_COMM_WORLD%MPI_VAL, [nx, ny, nz], from=3, to=2, &
!                                 element_bytes=16)
!     call plait_source(to_y, extents, first, last)      ! this rank's array, cut along axis 3
!     call plait_transpose_execute(to_y, [c_loc(u)], [c_loc(v)])
!
! Axes, indices and chunks count from 1; axis 1 is x, contiguous in memory. Ranges are first <= i <=
! last. Numbers of elements have 64 bits. Arrays are passed by c_loc, one for each field, and must
! be contiguous. Communicators and `status` are as in the module plait; plait.h describes further
! details. Compile this file with the program, after plait_c.f90.
module plait_transposes
  use, intrinsic :: iso_c_binding
  use plait_c, only: c_check, letters_of, settle, text_of
  implicit none
  private

  public :: plait_transpose, plait_transpose_stepper, plait_work
  public :: plait_transpose_create, plait_transpose_execute, plait_transpose_free
  public :: plait_source, plait_destination, plait_source_memory, plait_buffer_bytes
  public :: plait_transpose_begin, plait_transpose_start, plait_transpose_test
  public :: plait_transpose_finish
  public :: plait_transpose_stepper_create, plait_transpose_step, plait_transpose_schedule
  public :: plait_transpose_explain, plait_transpose_progress

  ! A plan for redistributing arrays.
  type :: plait_transpose
    private
    type(c_ptr) :: handle = c_null_ptr
  end type plait_transpose

  ! Runs steps of one or two transposes under a schedule.
  type :: plait_transpose_stepper
    private
    type(c_ptr) :: handle = c_null_ptr
    integer :: transposes = 0
  end type plait_transpose_stepper

  abstract interface
    ! Computes on the planes first <= i <= last along the chunk axis, in local indices. Several
    ! threads call it at the same time on disjoint ranges. It must not call MPI, but may call
    ! plait_transpose_progress. Each call needs its own local variables: compile it with OpenMP or
    ! make it `recursive`.
    subroutine plait_work(first, last)
      import :: c_long_long
      integer(c_long_long), intent(in) :: first, last
    end subroutine plait_work
  end interface

  ! Passed to the works through C's void*.
  type :: work_holder
    procedure(plait_work), pointer, nopass :: before => null(), between => null(), after => null()
  end type work_holder

  type, bind(C) :: cut
    integer(c_int) :: axis = 0
    type(c_ptr) :: blocks = c_null_ptr
    integer(c_int) :: order(3) = 0
    integer(c_long_long) :: strides(3) = 0
  end type cut

  type, bind(C) :: transpose_shape
    integer(c_long_long) :: extents(3) = 0
    type(cut) :: from, to
    integer(c_size_t) :: element_bytes = 0
    integer(c_int) :: fields = 0
    type(c_ptr) :: kept(3) = c_null_ptr
    integer(c_int) :: kept_ranges(3) = 0
    integer(c_int) :: expands = 0
  end type transpose_shape

  type, bind(C) :: transpose_options
    integer(c_int) :: chunks = 0
    type(c_ptr) :: chunk_axis = c_null_ptr
    type(c_ptr) :: transport = c_null_ptr
    integer(c_int) :: in_source_memory = 0
    type(c_ptr) :: wait = c_null_ptr
    type(c_ptr) :: buffers_of = c_null_ptr
  end type transpose_options

  type, bind(C) :: transpose_array
    integer(c_int) :: axis
    integer(c_long_long) :: first, last, extents(3), strides(3), elements
  end type transpose_array

  interface
    function c_create(comm, shape, options, transpose) bind(C, name="plait_transpose_create_f") &
        result(status)
      import
      integer(c_int), value :: comm
      type(transpose_shape), intent(in) :: shape
      type(transpose_options), intent(in) :: options
      type(c_ptr), intent(out) :: transpose
      integer(c_int) :: status
    end function c_create
    function c_free(transpose) bind(C, name="plait_transpose_free") result(status)
      import
      type(c_ptr), intent(inout) :: transpose
      integer(c_int) :: status
    end function c_free
    function c_arrays(transpose, source, destination) bind(C, name="plait_transpose_arrays") &
        result(status)
      import
      type(c_ptr), value :: transpose
      type(transpose_array), intent(out) :: source, destination
      integer(c_int) :: status
    end function c_arrays
    function c_source_memory(transpose, field) bind(C, name="plait_transpose_source_memory") &
        result(memory)
      import
      type(c_ptr), value :: transpose
      integer(c_int), value :: field
      type(c_ptr) :: memory
    end function c_source_memory
    function c_buffer_bytes(transpose) bind(C, name="plait_transpose_buffer_bytes") result(bytes)
      import
      type(c_ptr), value :: transpose
      integer(c_long_long) :: bytes
    end function c_buffer_bytes
    function c_execute(transpose, from, to) bind(C, name="plait_transpose_execute") result(status)
      import
      type(c_ptr), value :: transpose
      type(c_ptr), intent(in) :: from(*), to(*)
      integer(c_int) :: status
    end function c_execute
    function c_begin(transpose, from, to) bind(C, name="plait_transpose_begin") result(status)
      import
      type(c_ptr), value :: transpose
      type(c_ptr), intent(in) :: from(*), to(*)
      integer(c_int) :: status
    end function c_begin
    function c_start(transpose, chunk) bind(C, name="plait_transpose_start") result(status)
      import
      type(c_ptr), value :: transpose
      integer(c_int), value :: chunk
      integer(c_int) :: status
    end function c_start
    function c_test(transpose, chunk, done) bind(C, name="plait_transpose_test") result(status)
      import
      type(c_ptr), value :: transpose
      integer(c_int), value :: chunk
      integer(c_int), intent(out) :: done
      integer(c_int) :: status
    end function c_test
    function c_finish(transpose, chunk) bind(C, name="plait_transpose_finish") result(status)
      import
      type(c_ptr), value :: transpose
      integer(c_int), value :: chunk
      integer(c_int) :: status
    end function c_finish
    function c_stepper_create(comm, transposes, count, schedule, stepper) &
        bind(C, name="plait_transpose_stepper_create_f") result(status)
      import
      integer(c_int), value :: comm
      type(c_ptr), intent(in) :: transposes(*)
      integer(c_int), value :: count
      type(c_ptr), value :: schedule
      type(c_ptr), intent(out) :: stepper
      integer(c_int) :: status
    end function c_stepper_create
    function c_stepper_free(stepper) bind(C, name="plait_transpose_stepper_free") result(status)
      import
      type(c_ptr), intent(inout) :: stepper
      integer(c_int) :: status
    end function c_stepper_free
    function c_step(stepper, from, to, works, context) bind(C, name="plait_transpose_step") &
        result(status)
      import
      type(c_ptr), value :: stepper, context
      type(c_ptr), intent(in) :: from(*), to(*)
      type(c_funptr), intent(in) :: works(*)
      integer(c_int) :: status
    end function c_step
    function c_progress(stepper) bind(C, name="plait_transpose_progress") result(status)
      import
      type(c_ptr), value :: stepper
      integer(c_int) :: status
    end function c_progress
    function c_schedule(stepper) bind(C, name="plait_transpose_stepper_schedule") result(text)
      import
      type(c_ptr), value :: stepper
      type(c_ptr) :: text
    end function c_schedule
    function c_explain(stepper) bind(C, name="plait_transpose_stepper_explain") result(text)
      import
      type(c_ptr), value :: stepper
      type(c_ptr) :: text
    end function c_explain
  end interface

  ! plait_transpose_free(x [, status]) frees a stepper or a transpose, in this order. Collective;
  ! call it before MPI_Finalize.
  interface plait_transpose_free
    module procedure free_transpose, free_stepper
  end interface plait_transpose_free

contains

  ! Plans a transpose on the ranks of `comm`, an integer communicator: for slabs all ranks, for
  ! pencils those of a row or column. Collective. extents: global elements along each axis. from,
  ! to: the axes that are cut before and after. from_blocks, to_blocks: indices of each rank along
  ! them. from_order, to_order: the axes in the order of memory. kept_x, kept_y, kept_z: the
  ! indices that travel, kept(:, i) = first and last of range i; expands: the destination has all
  ! indices. chunk_axis: "x", "y" or "z". transport: "automatic", "alltoallv", "alltoallw",
  ! "point_to_point", "shared_memory". wait: "automatic", "spin", "yield", "sleep". buffers_of: a
  ! transpose that this one takes back and whose buffers serve both; see plait.h.
  subroutine plait_transpose_create(transpose, comm, extents, from, to, element_bytes, fields, &
                                    from_blocks, to_blocks, from_order, to_order, kept_x, kept_y, &
                                    kept_z, expands, chunks, chunk_axis, transport, &
                                    in_source_memory, wait, buffers_of, status)
    type(plait_transpose), intent(out) :: transpose
    integer, intent(in) :: comm, extents(3), from, to
    integer, intent(in), optional :: element_bytes, fields, from_order(3), to_order(3), chunks
    integer(c_long_long), intent(in), contiguous, target, optional :: from_blocks(:), to_blocks(:)
    integer(c_long_long), intent(in), optional :: kept_x(:, :), kept_y(:, :), kept_z(:, :)
    logical, intent(in), optional :: expands, in_source_memory
    character(len=*), intent(in), optional :: chunk_axis, transport, wait
    type(plait_transpose), intent(in), optional :: buffers_of
    integer, intent(out), optional :: status
    type(transpose_shape) :: shape
    type(transpose_options) :: options
    integer(c_long_long), allocatable, target :: x(:, :), y(:, :), z(:, :)
    character(kind=c_char), allocatable, target :: axis_letters(:), transport_letters(:), &
                                                   wait_letters(:)
    shape%extents = extents
    shape%from%axis = from - 1
    shape%to%axis = to - 1
    if (present(element_bytes)) shape%element_bytes = int(element_bytes, c_size_t)
    if (present(fields)) shape%fields = fields
    if (present(from_blocks)) shape%from%blocks = c_loc(from_blocks)
    if (present(to_blocks)) shape%to%blocks = c_loc(to_blocks)
    if (present(from_order)) shape%from%order = from_order - 1
    if (present(to_order)) shape%to%order = to_order - 1
    call keep(kept_x, x, shape%kept(1), shape%kept_ranges(1))
    call keep(kept_y, y, shape%kept(2), shape%kept_ranges(2))
    call keep(kept_z, z, shape%kept(3), shape%kept_ranges(3))
    if (present(expands)) shape%expands = merge(1, 0, expands)
    if (present(chunks)) options%chunks = chunks
    if (present(buffers_of)) options%buffers_of = buffers_of%handle
    if (present(in_source_memory)) options%in_source_memory = merge(1, 0, in_source_memory)
    call pass(chunk_axis, axis_letters, options%chunk_axis)
    call pass(transport, transport_letters, options%transport)
    call pass(wait, wait_letters, options%wait)
    call settle(c_create(comm, shape, options, transpose%handle), status)
  end subroutine plait_transpose_create

  ! The kept ranges of an axis, counted from 0 and half-open, as C expects them.
  subroutine keep(kept, copy, address, ranges)
    integer(c_long_long), intent(in), optional :: kept(:, :)
    integer(c_long_long), allocatable, target, intent(out) :: copy(:, :)
    type(c_ptr), intent(out) :: address
    integer(c_int), intent(out) :: ranges
    address = c_null_ptr
    ranges = 0
    if (.not. present(kept)) return
    copy = kept
    copy(1, :) = copy(1, :) - 1
    ranges = size(copy, 2)
    address = c_loc(copy)
  end subroutine keep

  ! A text for C, or a null pointer if there is none.
  subroutine pass(text, letters, address)
    character(len=*), intent(in), optional :: text
    character(kind=c_char), allocatable, target, intent(out) :: letters(:)
    type(c_ptr), intent(out) :: address
    address = c_null_ptr
    if (.not. present(text)) return
    letters = letters_of(text)
    address = c_loc(letters)
  end subroutine pass

  ! This rank's source array: its extents, and its indices along the axis that is cut. Local.
  subroutine plait_source(transpose, extents, first, last)
    type(plait_transpose), intent(in) :: transpose
    integer(c_long_long), intent(out) :: extents(3)
    integer(c_long_long), intent(out), optional :: first, last
    type(transpose_array) :: source, destination
    call c_check(c_arrays(transpose%handle, source, destination))
    call describe(source, extents, first, last)
  end subroutine plait_source

  ! This rank's destination array, likewise. Local.
  subroutine plait_destination(transpose, extents, first, last)
    type(plait_transpose), intent(in) :: transpose
    integer(c_long_long), intent(out) :: extents(3)
    integer(c_long_long), intent(out), optional :: first, last
    type(transpose_array) :: source, destination
    call c_check(c_arrays(transpose%handle, source, destination))
    call describe(destination, extents, first, last)
  end subroutine plait_destination

  subroutine describe(array, extents, first, last)
    type(transpose_array), intent(in) :: array
    integer(c_long_long), intent(out) :: extents(3)
    integer(c_long_long), intent(out), optional :: first, last
    extents = array%extents
    if (present(first)) first = array%first + 1
    if (present(last)) last = array%last
  end subroutine describe

  ! Memory for the source array of a field, for c_f_pointer. Local.
  function plait_source_memory(transpose, field) result(memory)
    type(plait_transpose), intent(in) :: transpose
    integer, intent(in) :: field
    type(c_ptr) :: memory
    memory = c_source_memory(transpose%handle, int(field - 1, c_int))
  end function plait_source_memory

  ! Bytes of this rank's message buffers, without those of another transpose, and of its part of
  ! the shared window; -1 on error. Local.
  function plait_buffer_bytes(transpose) result(bytes)
    type(plait_transpose), intent(in) :: transpose
    integer(c_long_long) :: bytes
    bytes = c_buffer_bytes(transpose%handle)
  end function plait_buffer_bytes

  ! Moves all elements. Collective.
  subroutine plait_transpose_execute(transpose, from, to, status)
    type(plait_transpose), intent(in) :: transpose
    type(c_ptr), intent(in) :: from(:), to(:)
    integer, intent(out), optional :: status
    call settle(c_execute(transpose%handle, from, to), status)
  end subroutine plait_transpose_execute

  ! Sets the arrays of the next transpose in chunks. They must be `target` and stay where they are.
  ! Local.
  subroutine plait_transpose_begin(transpose, from, to, status)
    type(plait_transpose), intent(in) :: transpose
    type(c_ptr), intent(in) :: from(:), to(:)
    integer, intent(out), optional :: status
    call settle(c_begin(transpose%handle, from, to), status)
  end subroutine plait_transpose_begin

  ! Sends a chunk. Collective; chunks in the same order on all ranks.
  subroutine plait_transpose_start(transpose, chunk, status)
    type(plait_transpose), intent(in) :: transpose
    integer, intent(in) :: chunk
    integer, intent(out), optional :: status
    call settle(c_start(transpose%handle, int(chunk - 1, c_int)), status)
  end subroutine plait_transpose_start

  ! Lets MPI progress; true if plait_transpose_finish() would not wait for messages.
  function plait_transpose_test(transpose, chunk) result(done)
    type(plait_transpose), intent(in) :: transpose
    integer, intent(in) :: chunk
    logical :: done
    integer(c_int) :: flag
    call c_check(c_test(transpose%handle, int(chunk - 1, c_int), flag))
    done = flag /= 0
  end function plait_transpose_test

  ! Completes a chunk. Collective; chunks in the same order on all ranks.
  subroutine plait_transpose_finish(transpose, chunk, status)
    type(plait_transpose), intent(in) :: transpose
    integer, intent(in) :: chunk
    integer, intent(out), optional :: status
    call settle(c_finish(transpose%handle, int(chunk - 1, c_int)), status)
  end subroutine plait_transpose_finish

  ! Creates a stepper of one transpose, or of two in a row. Collective over comm, which includes the
  ! ranks of both, for example those of all rows and columns of pencils.
  subroutine plait_transpose_stepper_create(stepper, comm, transposes, schedule, status)
    type(plait_transpose_stepper), intent(out) :: stepper
    integer, intent(in) :: comm
    type(plait_transpose), intent(in) :: transposes(:)
    character(len=*), intent(in), optional :: schedule
    integer, intent(out), optional :: status
    character(kind=c_char), allocatable, target :: letters(:)
    type(c_ptr) :: address
    call pass(schedule, letters, address)
    stepper%transposes = size(transposes)
    call settle(c_stepper_create(comm, transposes%handle, size(transposes), address, &
                                 stepper%handle), status)
  end subroutine plait_transpose_stepper_create

  ! Runs one step: before(), a transpose and after(), or before(), a transpose, between(), another
  ! transpose and after(). from, to: the arrays of all fields of the first, then of the second.
  ! Collective.
  subroutine plait_transpose_step(stepper, from, to, before, between, after, status)
    type(plait_transpose_stepper), intent(in) :: stepper
    type(c_ptr), intent(in) :: from(:), to(:)
    procedure(plait_work), optional :: before, between, after
    integer, intent(out), optional :: status
    type(work_holder), target :: holder
    type(c_funptr) :: works(3)
    works = c_null_funptr
    if (present(before)) then
      holder%before => before
      works(1) = c_funloc(call_before)
    end if
    if (present(between) .and. stepper%transposes > 1) then
      holder%between => between
      works(2) = c_funloc(call_between)
    end if
    if (present(after)) then
      holder%after => after
      works(1 + stepper%transposes) = c_funloc(call_after)
    end if
    call settle(c_step(stepper%handle, from, to, works, c_loc(holder)), status)
  end subroutine plait_transpose_step

  recursive subroutine call_before(first, last, context) bind(C)
    integer(c_long_long), value :: first, last
    type(c_ptr), value :: context
    type(work_holder), pointer :: holder
    call c_f_pointer(context, holder)
    call holder%before(first + 1, last)
  end subroutine call_before

  recursive subroutine call_between(first, last, context) bind(C)
    integer(c_long_long), value :: first, last
    type(c_ptr), value :: context
    type(work_holder), pointer :: holder
    call c_f_pointer(context, holder)
    call holder%between(first + 1, last)
  end subroutine call_between

  recursive subroutine call_after(first, last, context) bind(C)
    integer(c_long_long), value :: first, last
    type(c_ptr), value :: context
    type(work_holder), pointer :: holder
    call c_f_pointer(context, holder)
    call holder%after(first + 1, last)
  end subroutine call_after

  ! Lets the messages of a step progress if its schedule is "polled" and the calling thread is the
  ! one that communicates; does nothing otherwise, or if it did so a moment ago. For works whose
  ! planes take long. Local.
  subroutine plait_transpose_progress(stepper, status)
    type(plait_transpose_stepper), intent(in) :: stepper
    integer, intent(out), optional :: status
    call settle(c_progress(stepper%handle), status)
  end subroutine plait_transpose_progress

  ! The schedule in use. Local.
  function plait_transpose_schedule(stepper) result(text)
    type(plait_transpose_stepper), intent(in) :: stepper
    character(len=:), allocatable :: text
    text = text_of(c_schedule(stepper%handle))
  end function plait_transpose_schedule

  ! A table of the time of each schedule, with the reason for this one. Local.
  function plait_transpose_explain(stepper) result(text)
    type(plait_transpose_stepper), intent(in) :: stepper
    character(len=:), allocatable :: text
    text = text_of(c_explain(stepper%handle))
  end function plait_transpose_explain

  subroutine free_transpose(transpose, status)
    type(plait_transpose), intent(inout) :: transpose
    integer, intent(out), optional :: status
    call settle(c_free(transpose%handle), status)
  end subroutine free_transpose

  subroutine free_stepper(stepper, status)
    type(plait_transpose_stepper), intent(inout) :: stepper
    integer, intent(out), optional :: status
    call settle(c_stepper_free(stepper%handle), status)
  end subroutine free_stepper

end module plait_transposes
