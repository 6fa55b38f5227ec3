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
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/PlaitConfig.cmake.in ${CMAKE_BINARY_DIR}/cmake/PlaitConfig.cmake
  INSTALL_DESTINATION ${plait_package_dir} PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/PlaitConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cmake/PlaitConfig.cmake
              ${CMAKE_BINARY_DIR}/cmake/PlaitConfigVersion.cmake
        DESTINATION ${plait_package_dir})

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
