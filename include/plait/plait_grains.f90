! SPDX-License-Identifier: BSD-3-Clause
! Blocks of grains for Fortran: a team of threads computes while one of them communicates. Programs
! use the module plait.
!
!     type(plait_grains) :: block
!     call plait_grains_create(block, "shift and product")
!     call plait_grains_begin_communication(block, shift, "shift", 1, 2, start_shift)
!     call plait_grains_compute(block, product, "product", grains, multiply)
!     call plait_grains_after(block, product, shift)
!     call plait_grains_run(block)
!
! plait.h describes the functions. Parts count from 1. The procedures must be callable as long as
! the block exists: those of a module, or internal ones of a procedure that is still active. Several
! threads call those of plait_grains_compute() at the same time, so compile them with OpenMP or make
! them `recursive`. Without the argument `status`, an error is printed and ends the program.
module plait_grain_blocks
  use, intrinsic :: iso_c_binding
  use plait_c
  implicit none
  private

  public :: plait_grains, plait_grains_times, plait_grains_part, plait_grains_begin
  public :: plait_grains_create, plait_grains_compute, plait_grains_compute_in_order
  public :: plait_grains_communicate, plait_grains_begin_communication, plait_grains_after
  public :: plait_grains_after_each, plait_grains_run, plait_grains_graph, plait_grains_last_times
  public :: plait_grains_progress, plait_grains_on_progress, free_grains
  public :: plait_exchange_speed, plait_exchange_sizes, plait_measure_exchange
  public :: plait_grain_bytes, plait_grains_before

  ! Sizes that plait_measure_exchange() measures: 1 KiB, 2 KiB and so on up to 256 KiB.
  integer, parameter :: plait_exchange_sizes = 9

  abstract interface
    ! Runs one part of a task, 1 <= part <= parts.
    subroutine plait_grains_part(part)
      integer, intent(in) :: part
    end subroutine plait_grains_part
    ! Starts the communication of one part and sets its requests. They are integers, as in mpif.h
    ! and the module mpi; with mpi_f08 assign request%MPI_VAL. An unused one keeps its value.
    subroutine plait_grains_begin(part, requests)
      integer, intent(in) :: part
      integer, intent(inout) :: requests(:)
    end subroutine plait_grains_begin
    ! Drives communication of the program.
    subroutine plait_grains_progress()
    end subroutine plait_grains_progress
  end interface

  ! The procedure of a task; passed to it through C's void*.
  type :: task_holder
    procedure(plait_grains_part), pointer, nopass :: run => null()
    procedure(plait_grains_begin), pointer, nopass :: begin => null()
    procedure(plait_grains_progress), pointer, nopass :: progress => null()
    integer :: count = 0
    type(task_holder), pointer :: next => null()
  end type task_holder

  ! A block of tasks with dependencies.
  type :: plait_grains
    private
    type(c_ptr) :: handle = c_null_ptr
    type(task_holder), pointer :: tasks => null()
  end type plait_grains

contains

  ! Creates an empty block. threads: of the team, 0 for OpenMP's default. first_thread: whether the
  ! first thread that comes communicates, not the master. channels: communicating threads. before:
  ! grains before the first communication, 0 if chosen, -1 for none. wait: "automatic", "spin",
  ! "yield" or "sleep".
  subroutine plait_grains_create(block, name, threads, first_thread, channels, before, wait, status)
    type(plait_grains), intent(out) :: block
    character(len=*), intent(in) :: name
    integer, intent(in), optional :: threads, channels, before
    logical, intent(in), optional :: first_thread
    character(len=*), intent(in), optional :: wait
    integer, intent(out), optional :: status
    type(grains_options) :: options
    character(kind=c_char), allocatable, target :: wait_letters(:)
    if (present(threads)) options%threads = threads
    if (present(first_thread)) options%first_thread = merge(1, 0, first_thread)
    if (present(channels)) options%channels = channels
    if (present(before)) options%before = before
    if (present(wait)) then
      wait_letters = letters_of(wait)
      options%wait = c_loc(wait_letters)
    end if
    call settle(c_grains_create(letters_of(name), options, block%handle), status)
  end subroutine plait_grains_create

  ! Runs a part for C: calls the procedure in the holder at `context`.
  recursive function call_part(part, context) bind(C) result(status)
    integer(c_int), value :: part
    type(c_ptr), value :: context
    integer(c_int) :: status
    type(task_holder), pointer :: holder
    call c_f_pointer(context, holder)
    call holder%run(part + 1)
    status = 0
  end function call_part

  recursive function call_begin(part, requests, context) bind(C) result(status)
    integer(c_int), value :: part
    integer(c_int), intent(inout) :: requests(*)
    type(c_ptr), value :: context
    integer(c_int) :: status
    type(task_holder), pointer :: holder
    call c_f_pointer(context, holder)
    call holder%begin(part + 1, requests(1:holder%count))
    status = 0
  end function call_begin

  recursive subroutine call_progress(context) bind(C)
    type(c_ptr), value :: context
    type(task_holder), pointer :: holder
    call c_f_pointer(context, holder)
    call holder%progress()
  end subroutine call_progress

  ! Adds a holder, which lives as long as the block.
  function new_holder(block) result(holder)
    type(plait_grains), intent(inout) :: block
    type(task_holder), pointer :: holder
    allocate (holder)
    holder%next => block%tasks
    block%tasks => holder
  end function new_holder

  ! Declares a computation of `parts` grains, which any threads run at the same time.
  subroutine plait_grains_compute(block, task, name, parts, run, status)
    type(plait_grains), intent(inout) :: block
    integer, intent(out) :: task
    character(len=*), intent(in) :: name
    integer, intent(in) :: parts
    procedure(plait_grains_part) :: run
    integer, intent(out), optional :: status
    type(task_holder), pointer :: holder
    holder => new_holder(block)
    holder%run => run
    call settle(c_grains_compute(block%handle, letters_of(name), parts, c_funloc(call_part), &
                                 c_loc(holder), task), status)
  end subroutine plait_grains_compute

  ! Declares a computation of the communicating thread, whose parts run in order.
  subroutine plait_grains_compute_in_order(block, task, name, parts, run, status)
    type(plait_grains), intent(inout) :: block
    integer, intent(out) :: task
    character(len=*), intent(in) :: name
    integer, intent(in) :: parts
    procedure(plait_grains_part) :: run
    integer, intent(out), optional :: status
    type(task_holder), pointer :: holder
    holder => new_holder(block)
    holder%run => run
    call settle(c_grains_compute_in_order(block%handle, letters_of(name), parts, &
                                          c_funloc(call_part), c_loc(holder), task), status)
  end subroutine plait_grains_compute_in_order

  ! Declares a communication of the communicating thread; a part is complete when `run` returns.
  subroutine plait_grains_communicate(block, task, name, parts, run, status)
    type(plait_grains), intent(inout) :: block
    integer, intent(out) :: task
    character(len=*), intent(in) :: name
    integer, intent(in) :: parts
    procedure(plait_grains_part) :: run
    integer, intent(out), optional :: status
    type(task_holder), pointer :: holder
    holder => new_holder(block)
    holder%run => run
    call settle(c_grains_communicate(block%handle, letters_of(name), parts, c_funloc(call_part), &
                                     c_loc(holder), task), status)
  end subroutine plait_grains_communicate

  ! Declares a communication whose parts are complete when their `count` requests are.
  subroutine plait_grains_begin_communication(block, task, name, parts, count, begin, status)
    type(plait_grains), intent(inout) :: block
    integer, intent(out) :: task
    character(len=*), intent(in) :: name
    integer, intent(in) :: parts, count
    procedure(plait_grains_begin) :: begin
    integer, intent(out), optional :: status
    type(task_holder), pointer :: holder
    holder => new_holder(block)
    holder%begin => begin
    holder%count = count
    call settle(c_grains_begin(block%handle, letters_of(name), parts, count, &
                               c_funloc(call_begin), c_loc(holder), task), status)
  end subroutine plait_grains_begin_communication

  ! What communicating threads call after each of their grains and while they wait.
  subroutine plait_grains_on_progress(block, progress, status)
    type(plait_grains), intent(inout) :: block
    procedure(plait_grains_progress) :: progress
    integer, intent(out), optional :: status
    type(task_holder), pointer :: holder
    holder => new_holder(block)
    holder%progress => progress
    call settle(c_grains_on_progress(block%handle, c_funloc(call_progress), c_loc(holder)), status)
  end subroutine plait_grains_on_progress

  ! Every part of the task `later` runs after all parts of `earlier`.
  subroutine plait_grains_after(block, later, earlier, status)
    type(plait_grains), intent(in) :: block
    integer, intent(in) :: later, earlier
    integer, intent(out), optional :: status
    call settle(c_grains_after(block%handle, later, earlier), status)
  end subroutine plait_grains_after

  ! Part i of the task `later` runs after part i of `earlier`.
  subroutine plait_grains_after_each(block, later, earlier, status)
    type(plait_grains), intent(in) :: block
    integer, intent(in) :: later, earlier
    integer, intent(out), optional :: status
    call settle(c_grains_after_each(block%handle, later, earlier), status)
  end subroutine plait_grains_after_each

  ! Runs all tasks; may be called again and again.
  subroutine plait_grains_run(block, status)
    type(plait_grains), intent(in) :: block
    integer, intent(out), optional :: status
    call settle(c_grains_run(block%handle), status)
  end subroutine plait_grains_run

  ! The dependencies as a graph for Graphviz.
  function plait_grains_graph(block) result(text)
    type(plait_grains), intent(in) :: block
    character(len=:), allocatable :: text
    text = text_of(c_grains_graph(block%handle))
  end function plait_grains_graph

  ! The times of the last run.
  function plait_grains_last_times(block) result(times)
    type(plait_grains), intent(in) :: block
    type(plait_grains_times) :: times
    call c_check(c_grains_last_times(block%handle, times))
  end function plait_grains_last_times

  ! The number of grains to compute before the first communication, so that the rest takes as long
  ! as the communications. grain_s: of one grain on one thread; message_s: of one communication.
  function plait_grains_before(grains, messages, threads, grain_s, message_s) result(before)
    integer, intent(in) :: grains, messages, threads
    real(c_double), intent(in) :: grain_s, message_s
    integer :: before
    before = c_grains_before(grains, messages, threads, grain_s, message_s)
  end function plait_grains_before

  ! Measures how fast this rank and a partner exchange messages. Collective over `comm`. partner:
  ! the rank whose partner is this one; this rank itself or MPI_PROC_NULL for none. speeds: those of
  ! the slowest pair, the same on all ranks; 0 without pairs.
  subroutine plait_measure_exchange(speeds, comm, partner, status)
    type(plait_exchange_speed), intent(out) :: speeds(plait_exchange_sizes)
    integer, intent(in) :: comm, partner
    integer, intent(out), optional :: status
    call settle(c_measure_exchange(comm, partner, speeds), status)
  end subroutine plait_measure_exchange

  ! The size of a grain's message in bytes: the smallest that reaches 90 % of the highest speed. 0
  ! without speeds.
  function plait_grain_bytes(speeds) result(bytes)
    type(plait_exchange_speed), intent(in) :: speeds(:)
    real(c_double) :: bytes
    bytes = c_grain_bytes(speeds, size(speeds))
  end function plait_grain_bytes

  ! Frees a block and what it keeps of its tasks.
  subroutine free_grains(block, status)
    type(plait_grains), intent(inout) :: block
    integer, intent(out), optional :: status
    type(task_holder), pointer :: next
    do while (associated(block%tasks))
      next => block%tasks%next
      deallocate (block%tasks)
      block%tasks => next
    end do
    call settle(c_grains_free(block%handle), status)
  end subroutine free_grains

end module plait_grain_blocks
