# SPDX-License-Identifier: BSD-3-Clause
# Removes the files of an install manifest, then the folders that this leaves empty: a folder is
# removed only if Plait is in its name or in the name of a folder above it.
# Usage: [DESTDIR=...] cmake -DMANIFEST=<install_manifest.txt> -P PlaitUninstall.cmake
if(NOT EXISTS "${MANIFEST}")
  message(FATAL_ERROR "cannot uninstall: ${MANIFEST} does not exist, so nothing was installed from "
                      "this build tree")
endif()
file(STRINGS "${MANIFEST}" files)
set(removed 0)
set(folders "")
foreach(file ${files})
  set(file "$ENV{DESTDIR}${file}")
  if(EXISTS "${file}" OR IS_SYMLINK "${file}")
    file(REMOVE "${file}")
    if(EXISTS "${file}" OR IS_SYMLINK "${file}")
      message(FATAL_ERROR "cannot remove ${file}: run as the user who installed it")
    endif()
    math(EXPR removed "${removed} + 1")
  endif()
  get_filename_component(folder "${file}" DIRECTORY)
  while(folder MATCHES "/[Pp]lait(/|$)")
    list(APPEND folders "${folder}")
    get_filename_component(folder "${folder}" DIRECTORY)
  endwhile()
endforeach()

# The deepest folder first.
list(REMOVE_DUPLICATES folders)
list(SORT folders ORDER DESCENDING)
foreach(folder ${folders})
  file(GLOB left LIST_DIRECTORIES ON "${folder}/*" "${folder}/.[!.]*")
  if(IS_DIRECTORY "${folder}" AND NOT left)
    file(REMOVE_RECURSE "${folder}")
  endif()
endforeach()
message(STATUS "Removed ${removed} files listed in ${MANIFEST}")
