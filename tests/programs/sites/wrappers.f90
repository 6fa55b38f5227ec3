! SPDX-License-Identifier: BSD-3-Clause
! Calls of MPI in a helper module, from procedures of a module, a procedure inside one, and a region
! of OpenMP.
module comm_helper
  implicit none
  include 'mpif.h'
contains
  subroutine all_max(x)
    double precision, intent(inout) :: x
    double precision :: y
    integer :: error
    call mpi_allreduce(x, y, 1, mpi_double_precision, mpi_max, mpi_comm_world, error)
    x = y
  end subroutine
end module

module mg_utils
  use comm_helper
  implicit none
contains
  subroutine mg_grid_init(x)
    double precision, intent(inout) :: x
    call all_max(x)
    x = x + 1
  end subroutine

  subroutine mg_solve(x)
    double precision, intent(inout) :: x
    integer :: error
    call smooth()
    !$omp parallel num_threads(2)
    !$omp master
    call mpi_barrier(mpi_comm_world, error)
    !$omp end master
    !$omp end parallel
  contains
    subroutine smooth()
      call all_max(x)
      x = x + 1
    end subroutine
  end subroutine
end module

subroutine old_style(x)
  use comm_helper
  double precision, intent(inout) :: x
  call all_max(x)
  x = x + 1
end subroutine

program wrappers
  use mg_utils
  implicit none
  double precision :: x
  integer :: i, error
  call mpi_init(error)
  x = 1
  call mg_grid_init(x)
  do i = 1, 3
    call mg_solve(x)
  end do
  call old_style(x)
  call mpi_finalize(error)
end program
