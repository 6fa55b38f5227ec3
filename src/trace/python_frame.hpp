// SPDX-License-Identifier: BSD-3-Clause
// Lines of Python as code addresses: the module is "FUNCTION\nFILE", the offset is the line.
#pragma once

#include <optional>
#include <string>

#include "trace/symbolize.hpp"

namespace plait::trace {

/// The address of a line. A module with a line feed is never the path of an ELF file that is read.
CodeAddress python_address(const std::string& function, const std::string& file, int line);

/// The frame of a line; nothing if the address is not one.
std::optional<Frame> python_frame(const CodeAddress& address);

/// True for files through which Python code calls MPI and is imported, in which users do not look
/// for a call: those of mpi4py, the modules that call C functions, and the interpreter.
bool is_python_glue(const std::string& path);

}  // namespace plait::trace
