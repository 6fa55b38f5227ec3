# SPDX-License-Identifier: BSD-3-Clause
# Identifies the binary interface of an MPI by its mpi.h; used by Plait's own build and
# by the installed package.

# Which ABI a folder's mpi.h belongs to, and a number by which two of a kind compare.
function(plait_identify_mpi folder kind_out version_out)
  set(${kind_out} "" PARENT_SCOPE)
  if(NOT EXISTS ${folder}/mpi.h)
    return()
  endif()
  file(STRINGS ${folder}/mpi.h lines
       REGEX "define +(OMPI_(MAJOR|MINOR)_VERSION|MPICH_NUMVERSION|MPI_ABI_VERSION) +[0-9]+")
  if(lines MATCHES "OMPI_MAJOR_VERSION +([0-9]+)")
    set(major ${CMAKE_MATCH_1})
    string(REGEX MATCH "OMPI_MINOR_VERSION +([0-9]+)" ignored "${lines}")
    set(${kind_out} openmpi PARENT_SCOPE)
    set(${version_out} "${major}.${CMAKE_MATCH_1}" PARENT_SCOPE)
  elseif(lines MATCHES "MPICH_NUMVERSION +([0-9]+)")
    set(${kind_out} mpich PARENT_SCOPE)
    set(${version_out} ${CMAKE_MATCH_1} PARENT_SCOPE)
  elseif(lines MATCHES "MPI_ABI_VERSION +([0-9]+)")
    set(${kind_out} abi PARENT_SCOPE)
    set(${version_out} ${CMAKE_MATCH_1} PARENT_SCOPE)
  endif()
endfunction()
