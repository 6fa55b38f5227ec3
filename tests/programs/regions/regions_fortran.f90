! SPDX-License-Identifier: BSD-3-Clause
! A Fortran MPI program with user regions.
program regions_fortran
  use mpi
  use plait_region
  implicit none
  integer :: error, step
  call MPI_Init(error)
  do step = 1, 4
    call plait_region_begin("step  ")
    call plait_region_begin("wait")
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call plait_region_end("wait")
    call plait_region_end("step")
  end do
  call plait_remap()
  call MPI_Finalize(error)
end program regions_fortran
