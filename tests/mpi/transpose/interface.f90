! SPDX-License-Identifier: BSD-3-Clause
! Checks the Fortran module of transposes on any number of ranks: slabs, chunks, steps, errors.
module checks
  use, intrinsic :: iso_c_binding
  use plait_transposes
  implicit none
  integer, parameter :: nx = 4, ny = 6, nz = 5
  integer :: failures = 0
  real(c_double), allocatable, target :: a(:, :, :), b(:, :, :), c(:, :, :)
contains
  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    print '(2a)', "failed: ", what
  end subroutine check

  ! The elements of slabs whose first planes along y and z are given.
  subroutine fill(u, first_y, first_z)
    real(c_double), intent(out) :: u(:, :, :)
    integer(c_long_long), intent(in) :: first_y, first_z
    integer :: i, j, k
    do concurrent(k=1:size(u, 3), j=1:size(u, 2), i=1:size(u, 1))
      u(i, j, k) = i + 10 * (j + first_y) + 100 * (k + first_z)
    end do
  end subroutine fill

  recursive subroutine add_before(first, last)
    integer(c_long_long), intent(in) :: first, last
    a(first:last, :, :) = a(first:last, :, :) + 1
  end subroutine add_before

  recursive subroutine add_between(first, last)
    integer(c_long_long), intent(in) :: first, last
    b(first:last, :, :) = b(first:last, :, :) + 2
  end subroutine add_between

  recursive subroutine add_after(first, last)
    integer(c_long_long), intent(in) :: first, last
    c(first:last, :, :) = c(first:last, :, :) + 4
  end subroutine add_after
end module checks

program transpose_interface
  use mpi_f08
  use checks
  implicit none
  type(plait_transpose) :: to_y, to_z, refused
  type(plait_transpose_stepper) :: stepper
  real(c_double), allocatable :: right(:, :, :)
  integer(c_long_long) :: source(3), destination(3), first_y, first_z
  integer :: granted, rank, chunk, status
  call MPI_Init_thread(MPI_THREAD_SERIALIZED, granted)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call plait_transpose_create(to_y, MPI_COMM_WORLD%MPI_VAL, [nx, ny, nz], from=3, to=2, &
                              element_bytes=8, chunks=2, transport="point_to_point")
  call plait_transpose_create(to_z, MPI_COMM_WORLD%MPI_VAL, [nx, ny, nz], from=2, to=3, &
                              chunks=2, chunk_axis="x", transport="alltoallw", wait="sleep")
  call plait_source(to_y, source, first_z)
  call plait_destination(to_y, destination, first_y)
  allocate (a(source(1), source(2), source(3)), c(source(1), source(2), source(3)))
  allocate (b(destination(1), destination(2), destination(3)))
  allocate (right(destination(1), destination(2), destination(3)))
  call fill(a, 0_c_long_long, first_z - 1)
  call fill(right, first_y - 1, 0_c_long_long)
  b = 0
  call plait_transpose_execute(to_y, [c_loc(a)], [c_loc(b)])
  call check(all(b == right), "a transpose")
  b = 0
  call plait_transpose_begin(to_y, [c_loc(a)], [c_loc(b)])
  do chunk = 1, 2
    call plait_transpose_start(to_y, chunk)
  end do
  do while (.not. plait_transpose_test(to_y, 2))
  end do
  call plait_transpose_finish(to_y, 1)
  call plait_transpose_finish(to_y, 2)
  call check(all(b == right), "a transpose in chunks")

  call plait_transpose_stepper_create(stepper, MPI_COMM_WORLD%MPI_VAL, [to_y, to_z], &
                                      "nonblocking,wait=sleep")
  call check(plait_transpose_schedule(stepper) == "nonblocking,wait=sleep", "the schedule")
  call plait_transpose_step(stepper, [c_loc(a), c_loc(b)], [c_loc(b), c_loc(c)], add_before, &
                            add_between, add_after)
  call check(all(c == a + 6), "a step of two transposes")
  call plait_transpose_progress(stepper, status)
  call check(status == 0, "nothing under way")
  call check(index(plait_transpose_explain(stepper), "2 transposes") > 0, "explained")
  call plait_transpose_free(stepper)
  call plait_transpose_free(to_z)
  call plait_transpose_create(to_z, MPI_COMM_WORLD%MPI_VAL, [nx, ny, nz], from=2, to=3, &
                              chunks=2, transport="point_to_point", buffers_of=to_y)
  call check(plait_buffer_bytes(to_z) == 0, "there and back in the same buffers")
  call check(plait_buffer_bytes(to_y) > 0, "buffers")
  c = 0
  call plait_transpose_execute(to_z, [c_loc(b)], [c_loc(c)])
  call check(all(c == a + 2), "back in the same buffers")
  call plait_transpose_free(to_z)
  call plait_transpose_free(to_y)

  call plait_transpose_create(to_y, MPI_COMM_WORLD%MPI_VAL, [nx, ny, nz], from=3, to=2, &
                              kept_y=reshape([1_c_long_long, 2_c_long_long, 6_c_long_long, &
                                              6_c_long_long], [2, 2]))
  call plait_destination(to_y, destination)
  call MPI_Allreduce(MPI_IN_PLACE, destination(2), 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
  call check(destination(2) == 3, "kept indices")
  call plait_transpose_free(to_y)
  call plait_transpose_create(refused, MPI_COMM_WORLD%MPI_VAL, [nx, ny, nz], from=3, to=3, &
                              status=status)
  call check(status == 1, "one axis only")
  call MPI_Allreduce(MPI_IN_PLACE, failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(i0, a)', failures, " checks failed"
  call MPI_Finalize()
  if (failures > 0) error stop 1
end program transpose_interface
