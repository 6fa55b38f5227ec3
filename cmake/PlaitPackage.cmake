# SPDX-License-Identifier: BSD-3-Clause
# Binary packages (CPack): a tarball of a PLAIT_PORTABLE build, a Debian package of any other.
set(PLAIT_MAINTAINER "The Plait authors <root@localhost>"
    CACHE STRING "Maintainer in the Debian package, with an email address")
mark_as_advanced(PLAIT_MAINTAINER)

set(CPACK_PACKAGE_NAME plait)
set(CPACK_PACKAGE_VENDOR "The Plait authors")
set(CPACK_PACKAGE_CONTACT ${PLAIT_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "performance tool and library for MPI+OpenMP programs")
set(CPACK_PACKAGE_DESCRIPTION
    "Plait measures a machine, shows where an unmodified MPI+OpenMP program loses time, and checks
how its ranks and threads were placed. It works with programs of Open MPI, MPICH and compatible
libraries. The package includes a library for stencil solvers.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)

string(TOLOWER ${CMAKE_SYSTEM_NAME} plait_system)
set(CPACK_PACKAGE_FILE_NAME plait-${PROJECT_VERSION}-${plait_system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_SOURCE_GENERATOR "") # tools/dist writes the source archive
if(PLAIT_PORTABLE)
  set(CPACK_GENERATOR TGZ)
else()
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
endif()

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "openmpi-bin | mpich")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-numpy")
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/debian.cmake)
include(CPack)
