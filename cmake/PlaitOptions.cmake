# SPDX-License-Identifier: BSD-3-Clause
# Compiler options that every target of Plait is built with: warnings, build type, sanitizers.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()
if(NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT DEFINED ENV{CMAKE_CXX_COMPILER_LAUNCHER})
  # Looked for once: a cache that is installed later would change every command, and `make test` after
  # `make demo` would compile everything again.
  if(NOT DEFINED PLAIT_CCACHE)
    find_program(PLAIT_CCACHE ccache)
  endif()
  mark_as_advanced(PLAIT_CCACHE)
  if(PLAIT_CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER ${PLAIT_CCACHE})
    # Without these it does not keep what was compiled with precompiled headers.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
                                    CCACHE_SLOPPINESS=pch_defines,time_macros ${PLAIT_CCACHE})
  endif()
endif()

add_library(plait_options INTERFACE)
add_library(plait::options ALIAS plait_options)
target_compile_features(plait_options INTERFACE cxx_std_20)
target_include_directories(plait_options INTERFACE ${PROJECT_SOURCE_DIR}/src
                                                   ${PROJECT_SOURCE_DIR}/include)
# In a unity build a local name of one source may be a parameter of another.
target_compile_options(plait_options INTERFACE -Wall -Wextra -Wpedantic
                                               $<$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wshadow>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Collecting garbage from 0.6 GB of memory on instead of from 0.13 GB saves a seventh of GCC's time.
  target_compile_options(plait_options INTERFACE --param=ggc-min-expand=100
                                                 --param=ggc-min-heapsize=600000)
endif()

# For kernels that are optimized in every build type, because tests run much of them. Sanitized loops
# are not vectorized: with -O1 they compile in two thirds of the time, and hardly run longer.
set(PLAIT_KERNEL_OPTIMIZATION -O3)
set(PLAIT_SANITIZE "" CACHE STRING "Sanitizers to build with: address (with undefined), thread or none")
set_property(CACHE PLAIT_SANITIZE PROPERTY STRINGS "" address thread)

option(PLAIT_FUZZ "Fuzz the readers of files with libFuzzer (tests/fuzz; needs clang)" OFF)

# Objects that are loaded into foreign programs, and programs that load them, cannot contain a
# sanitizer's runtime. A folder or target says so with this property (targets inherit it from their
# folder).
define_property(TARGET PROPERTY PLAIT_NOT_SANITIZED INHERITED
                BRIEF_DOCS "Built without the sanitizer of this build")
if(PLAIT_SANITIZE)
  set(PLAIT_KERNEL_OPTIMIZATION -O1)
  set(plait_sanitize_flags -fsanitize=${PLAIT_SANITIZE} -fno-omit-frame-pointer)
  if(PLAIT_SANITIZE STREQUAL "address")
    list(APPEND plait_sanitize_flags -fsanitize=undefined -fno-sanitize-recover=undefined)
  endif()
  # Plait's own code is checked and guides the fuzzer. With the headers of libraries, there would be
  # twice as much code to compile.
  if(PLAIT_FUZZ)
    list(APPEND plait_sanitize_flags -fsanitize=fuzzer-no-link
         -fsanitize-coverage-allowlist=${PROJECT_SOURCE_DIR}/tests/fuzz/guiding.txt)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Sanitized loops are not vectorized, and Clang would say so of each.
    list(APPEND plait_sanitize_flags -Wno-pass-failed
         -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/tests/asan/unchecked.txt)
  endif()
  # The faster linker: sanitized programs are large.
  find_program(PLAIT_LLD ld.lld)
  mark_as_advanced(PLAIT_LLD)
  if(PLAIT_LLD AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_link_options(plait_options INTERFACE -fuse-ld=lld)
  endif()
  set(plait_sanitized "$<NOT:$<BOOL:$<TARGET_PROPERTY:PLAIT_NOT_SANITIZED>>>")
  target_compile_options(plait_options INTERFACE "$<${plait_sanitized}:${plait_sanitize_flags}>")
  target_link_options(plait_options INTERFACE "$<${plait_sanitized}:${plait_sanitize_flags}>")
endif()

# GCC's libgomp is unknown to the thread sanitizer, which then takes every barrier for a race;
# LLVM's libomp tells it of barriers, tasks and locks through Archer, which lies beside it.
if(PLAIT_SANITIZE STREQUAL "thread")
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "PLAIT_SANITIZE=thread needs clang with libomp and Archer (Debian: clang, "
                        "libomp-dev), not ${CMAKE_CXX_COMPILER_ID}: cmake --preset tsan")
  endif()
  add_library(plait_tsan_task_memory SHARED ${PROJECT_SOURCE_DIR}/tests/tsan/task_memory.cpp)
  target_compile_options(plait_tsan_task_memory PRIVATE ${plait_sanitize_flags})
  target_link_libraries(plait_tsan_task_memory PRIVATE ${CMAKE_DL_LIBS})
  target_link_libraries(plait_options INTERFACE "$<${plait_sanitized}:plait_tsan_task_memory>")
endif()

# Counts which lines and branches of src/ run, for `make coverage`: a folder whose code is counted
# says so with this property. Every process adds its counters to the files beside the objects when it
# ends, under a lock; tests/coverage/ends.c does so for processes that do not end by exit(3). All
# other code is compiled as in a release, so that the compiler cache has it.
option(PLAIT_COVERAGE "Count which lines the tests run (GCC)" OFF)
mark_as_advanced(PLAIT_COVERAGE)
define_property(TARGET PROPERTY PLAIT_COUNTED INHERITED
                BRIEF_DOCS "With PLAIT_COVERAGE, its lines are counted")
if(PLAIT_COVERAGE)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(FATAL_ERROR "PLAIT_COVERAGE needs GCC, not ${CMAKE_CXX_COMPILER_ID}: cmake --preset coverage")
  endif()
  # Not --coverage, which a source could not switch off again.
  set(plait_coverage_flags -fprofile-arcs -ftest-coverage -fprofile-update=atomic
                           -fprofile-abs-path)
  add_library(plait_coverage_ends STATIC ${PROJECT_SOURCE_DIR}/tests/coverage/ends.c)
  target_compile_options(plait_coverage_ends PRIVATE ${plait_coverage_flags})
  target_compile_options(
    plait_options INTERFACE "$<$<BOOL:$<TARGET_PROPERTY:PLAIT_COUNTED>>:${plait_coverage_flags}>")
  target_link_options(plait_options INTERFACE ${plait_coverage_flags}
                      LINKER:--wrap=_exit,--wrap=pause,--wrap=waitpid
                      LINKER:--undefined=__wrap__exit)
  target_link_libraries(plait_options INTERFACE plait_coverage_ends)
endif()
