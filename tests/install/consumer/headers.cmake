# SPDX-License-Identifier: BSD-3-Clause
# Each installed header compiles alone, without a warning, in every language that it is for.
get_target_property(folder Plait::plait INTERFACE_INCLUDE_DIRECTORIES)

# plait_header_alone(<header> <extension>)
function(plait_header_alone header extension)
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/${header}.${extension})
  # Included twice: a guard belongs to a header.
  file(WRITE ${unit} "#include <plait/${header}>\n#include <plait/${header}>\n"
                     "int plait_header_is_alone(void);\n"
                     "int plait_header_is_alone(void) { return 0; }\n")
  add_library(${header}_${extension} OBJECT ${unit})
  target_link_libraries(${header}_${extension} PRIVATE Plait::solve)
  target_compile_options(${header}_${extension} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Werror)
endfunction()

file(GLOB headers RELATIVE ${folder}/plait ${folder}/plait/*.hpp ${folder}/plait/*.h)
list(LENGTH headers count)
if(count LESS 10)
  message(FATAL_ERROR "only ${count} headers in ${folder}/plait")
endif()
foreach(header ${headers})
  plait_header_alone(${header} cpp)
  if(header MATCHES "\\.h$")
    plait_header_alone(${header} c)
  endif()
endforeach()
