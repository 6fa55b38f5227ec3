# SPDX-License-Identifier: BSD-3-Clause
# What is installed, and the package Plait that other CMake projects find.
include(CMakePackageConfigHelpers)

add_library(plait_headers INTERFACE)
add_library(Plait::plait ALIAS plait_headers)
set_target_properties(plait_headers PROPERTIES EXPORT_NAME plait)
target_include_directories(
  plait_headers INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                          $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS plait_headers EXPORT PlaitTargets)
if(EXISTS ${PROJECT_SOURCE_DIR}/include/plait)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/plait DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()

set(plait_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Plait)
install(EXPORT PlaitTargets NAMESPACE Plait:: DESTINATION ${plait_package_dir})

# The library. The package describes it in words of its own (PlaitLibrary.cmake): which MPI a
# program has, and with which Fortran compiler, is known only there.
set(PLAIT_HAS_SOLVE OFF)
if(TARGET plait_solve)
  set(PLAIT_HAS_SOLVE ON)
  add_library(Plait::solve ALIAS plait_solve)
  set_target_properties(
    plait_solve PROPERTIES VERSION ${PROJECT_VERSION}
                           SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                           INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS plait_solve LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  # Installed programs find it beside them.
  file(RELATIVE_PATH plait_lib_from_bin /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  if(TARGET plait_jacobi)
    set_target_properties(plait_jacobi PROPERTIES INSTALL_RPATH $ORIGIN/${plait_lib_from_bin}
                                                  INSTALL_RPATH_USE_LINK_PATH ON)
  endif()
endif()
set(plait_fortran_dir ${CMAKE_INSTALL_LIBDIR}/plait/fortran/${PLAIT_FORTRAN_ID})
if(PLAIT_HAS_SOLVE AND PLAIT_FORTRAN)
  add_library(plait_fortran_solve INTERFACE)
  add_library(Plait::fortran ALIAS plait_fortran_solve)
  target_link_libraries(plait_fortran_solve INTERFACE plait_fortran plait_solve
                                                      $<TARGET_NAME_IF_EXISTS:plait::mpi_fortran>)
  install(TARGETS plait_fortran ARCHIVE DESTINATION ${plait_fortran_dir})
  install(DIRECTORY ${PLAIT_FORTRAN_MODULES}/ DESTINATION ${plait_fortran_dir}
          FILES_MATCHING PATTERN *.mod)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/PlaitConfig.cmake.in ${CMAKE_BINARY_DIR}/cmake/PlaitConfig.cmake
  INSTALL_DESTINATION ${plait_package_dir}
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/PlaitConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cmake/PlaitConfig.cmake
              ${CMAKE_BINARY_DIR}/cmake/PlaitConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/PlaitLibrary.cmake
              ${PROJECT_SOURCE_DIR}/cmake/PlaitIdentifyMpi.cmake
        DESTINATION ${plait_package_dir})

# The reader of traces for Python.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/plait_trace
        DESTINATION ${CMAKE_INSTALL_DATADIR}/plait/python FILES_MATCHING PATTERN *.py
        PATTERN __pycache__ EXCLUDE)

# The schemas travel with the command.
file(GLOB plait_schemas CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/schemas/*.json)
foreach(schema ${plait_schemas})
  get_filename_component(name ${schema} NAME)
  configure_file(${schema} ${PLAIT_SHARE_DIR}/schemas/${name} COPYONLY)
endforeach()
install(DIRECTORY ${PLAIT_SHARE_DIR}/ DESTINATION share/plait)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(EXISTS ${PLAIT_THIRD_PARTY})
  install(DIRECTORY ${PLAIT_THIRD_PARTY}/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/third_party
          FILES_MATCHING PATTERN LICENSE*)
endif()
