# SPDX-License-Identifier: BSD-3-Clause
# Fortran, if there is a compiler: the language, MPI's Fortran bindings, and the module `plait`.
#
# Sets PLAIT_FORTRAN (whether there is a compiler) and PLAIT_FORTRAN_ID (its name and major version,
# as module files depend on them). Targets: plait::fortran (the modules; programs link plait::solve
# beside it), plait::mpi_fortran (the chosen MPI), plait::mpi_fortran_openmpi and
# plait::mpi_fortran_mpich.
include(CheckLanguage)
include(CheckSourceCompiles)
check_language(Fortran)
set(PLAIT_FORTRAN OFF)
if(NOT CMAKE_Fortran_COMPILER)
  message(STATUS "Fortran module plait: not built, no Fortran compiler (Debian: gfortran); its "
                 "source is installed")
  return()
endif()
enable_language(Fortran)
set(PLAIT_FORTRAN ON)
string(REGEX MATCH "^[0-9]+" plait_major "${CMAKE_Fortran_COMPILER_VERSION}")
set(PLAIT_FORTRAN_ID ${CMAKE_Fortran_COMPILER_ID}-${plait_major})

# Module files lie apart from other compilers', in the build tree as where they are installed.
set(PLAIT_FORTRAN_MODULES ${CMAKE_BINARY_DIR}/lib/plait/fortran/${PLAIT_FORTRAN_ID})
add_library(plait_fortran STATIC ${PROJECT_SOURCE_DIR}/include/plait/plait_c.f90
                                 ${PROJECT_SOURCE_DIR}/include/plait/plait_grains.f90
                                 ${PROJECT_SOURCE_DIR}/include/plait/plait.f90
                                 ${PROJECT_SOURCE_DIR}/include/plait/plait_transposes.f90
                                 ${PROJECT_SOURCE_DIR}/include/plait/plait_region.f90)
add_library(plait::fortran ALIAS plait_fortran)
target_include_directories(plait_fortran INTERFACE ${PLAIT_FORTRAN_MODULES})
set_target_properties(
  plait_fortran PROPERTIES OUTPUT_NAME plait_fortran Fortran_MODULE_DIRECTORY
                                                     ${PLAIT_FORTRAN_MODULES}
                           ARCHIVE_OUTPUT_DIRECTORY ${PLAIT_FORTRAN_MODULES})

# A target for the Fortran bindings of one MPI, out of its wrapper's flags.
function(plait_mpi_fortran_target kind)
  find_program(PLAIT_MPIFORT_${kind} NAMES mpifort.${kind} mpif90.${kind} NO_CACHE)
  if(NOT PLAIT_MPIFORT_${kind})
    return()
  endif()
  plait_wrapper_flags(${PLAIT_MPIFORT_${kind}} flags)
  set(includes ${flags})
  list(FILTER includes INCLUDE REGEX "^-I")
  list(TRANSFORM includes REPLACE "^-I" "")
  set(libraries ${flags})
  list(FILTER libraries INCLUDE REGEX "^(-L|-l|-Wl,|-pthread)")
  # The wrapper's modules may be of another compiler than this build's.
  set(CMAKE_REQUIRED_INCLUDES ${includes})
  set(CMAKE_REQUIRED_LIBRARIES ${libraries})
  check_source_compiles(Fortran "use mpi_f08\ncall MPI_Finalize()\nend" PLAIT_F08_${kind})
  if(NOT PLAIT_F08_${kind})
    return()
  endif()
  add_library(plait_mpi_fortran_${kind} INTERFACE)
  add_library(plait::mpi_fortran_${kind} ALIAS plait_mpi_fortran_${kind})
  target_include_directories(plait_mpi_fortran_${kind} INTERFACE ${includes})
  target_link_libraries(plait_mpi_fortran_${kind} INTERFACE ${libraries})
endfunction()
plait_mpi_fortran_target(openmpi)
plait_mpi_fortran_target(mpich)

if(TARGET plait_mpi)
  find_package(MPI QUIET COMPONENTS Fortran)
  if(MPI_Fortran_HAVE_F08_MODULE)
    add_library(plait_mpi_fortran INTERFACE)
    add_library(plait::mpi_fortran ALIAS plait_mpi_fortran)
    target_link_libraries(plait_mpi_fortran INTERFACE MPI::MPI_Fortran)
  endif()
endif()
if(NOT TARGET plait::mpi_fortran AND TARGET plait_mpi_fortran_${PLAIT_MPI_KIND})
  add_library(plait::mpi_fortran ALIAS plait_mpi_fortran_${PLAIT_MPI_KIND})
endif()
