# SPDX-License-Identifier: BSD-3-Clause
# Compiler options that every target of Plait is built with.
add_library(plait_options INTERFACE)
add_library(plait::options ALIAS plait_options)
target_compile_features(plait_options INTERFACE cxx_std_20)
target_include_directories(plait_options INTERFACE ${PROJECT_SOURCE_DIR}/src
                                                   ${PROJECT_SOURCE_DIR}/include)
target_compile_options(plait_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow)
