! SPDX-License-Identifier: BSD-3-Clause
! Names regions of an MPI program, so that `plait run` reports its time by region, and asks
! `plait run --remap` for a decision (see remap.h).
!
!     use plait_region
!     call plait_region_begin("exchange")
!     ...
!     call plait_region_end("exchange")
!
! Compile this file with the program; no library is needed (see region.h). Regions must be between
! MPI_Init and MPI_Finalize.
module plait_region
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  implicit none
  private
  public :: plait_region_begin, plait_region_end, plait_remap

  ! As in plait/region_levels.h.
  integer(c_int), parameter :: region_begin = 1347179586_c_int
  integer(c_int), parameter :: region_end = 1347179589_c_int

  interface
    function c_pcontrol(level, name) bind(C, name="MPI_Pcontrol") result(error)
      import :: c_char, c_int
      integer(c_int), value :: level
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: error
    end function c_pcontrol
  end interface

contains

  ! Enters a region; trailing blanks of the name are ignored.
  subroutine plait_region_begin(name)
    character(len=*), intent(in) :: name
    integer(c_int) :: error
    error = c_pcontrol(region_begin, trim(name)//c_null_char)
  end subroutine plait_region_begin

  ! Leaves the innermost region with this name, and all regions within it.
  subroutine plait_region_end(name)
    character(len=*), intent(in) :: name
    integer(c_int) :: error
    error = c_pcontrol(region_end, trim(name)//c_null_char)
  end subroutine plait_region_end

  ! Asks `plait run --remap` to decide now where ranks should run; to be called by all ranks.
  subroutine plait_remap()
    call plait_region_begin("plait_remap")
    call plait_region_end("plait_remap")
  end subroutine plait_remap

end module plait_region
