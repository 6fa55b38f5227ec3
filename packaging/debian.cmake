# SPDX-License-Identifier: BSD-3-Clause
# Run by CPack on the installed files before it packs them: a Debian package has its licence in
# /usr/share/doc/<package>/copyright.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(doc ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/doc/plait)
  file(RENAME ${doc}/LICENSE ${doc}/copyright)
endif()
