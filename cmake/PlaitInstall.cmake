# SPDX-License-Identifier: BSD-3-Clause
# Install rules, the target uninstall, and the packages by which CMake and pkg-config find Plait.
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

# The library. PlaitLibrary.cmake describes it to other projects: their MPI and Fortran compiler are
# known only there.
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
if(PLAIT_HAS_SOLVE)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()

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

# For pkg-config. All paths are relative to the file, so that the prefix can be moved. MPI is not
# named, as its pkg-config modules differ from site to site: programs are compiled with mpicc.
set(plait_pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH plait_pc_prefix /${plait_pc_dir} /)
string(REGEX REPLACE "/$" "" plait_pc_prefix "${plait_pc_prefix}")
set(plait_pc_libs "")
if(PLAIT_HAS_SOLVE)
  set(plait_pc_libs "-L\${libdir} -lplait")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/plait.pc.in ${CMAKE_BINARY_DIR}/cmake/plait.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cmake/plait.pc DESTINATION ${plait_pc_dir})

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

# Documentation. README.md is beside docs/, as in the sources, so that its links work.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
              ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/CITATION.cff
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN *.md PATTERN *.svg PATTERN *.png PATTERN schemas EXCLUDE)

# Licences of the libraries whose code is part of the programs: those of the source archive, else
# Debian's copies. A library that is compiled or linked in from elsewhere has none here.
if(EXISTS ${PLAIT_THIRD_PARTY})
  install(DIRECTORY ${PLAIT_THIRD_PARTY}/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/third_party
          FILES_MATCHING PATTERN LICENSE*)
endif()
set(plait_linked_in CLI11:libcli11-dev nlohmann_json:nlohmann-json3-dev fmt:libfmt-dev)
if(PLAIT_PORTABLE)
  list(APPEND plait_linked_in hwloc:libhwloc-dev)
endif()
if(PLAIT_PORTABLE OR PLAIT_STATIC_ZSTD)
  list(APPEND plait_linked_in zstd:libzstd-dev)
endif()
foreach(library ${plait_linked_in})
  string(REPLACE ":" ";" library ${library})
  list(GET library 0 name)
  list(GET library 1 package)
  if(EXISTS ${PLAIT_THIRD_PARTY}/${name})
    continue()
  elseif(EXISTS /usr/share/doc/${package}/copyright)
    install(FILES /usr/share/doc/${package}/copyright
            DESTINATION ${CMAKE_INSTALL_DOCDIR}/third_party/${name} RENAME LICENSE)
  elseif(PLAIT_PORTABLE)
    message(WARNING "The licence of ${name} was not found. Add it to the archive before you pass "
                    "the archive on.")
  endif()
endforeach()

# Removes what the last `cmake --install` of this build tree installed.
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(
    uninstall
    COMMAND ${CMAKE_COMMAND} -DMANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt -P
            ${PROJECT_SOURCE_DIR}/cmake/PlaitUninstall.cmake
    VERBATIM)
endif()
