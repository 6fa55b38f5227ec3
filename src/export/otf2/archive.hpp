// SPDX-License-Identifier: BSD-3-Clause
// Handles, errors and names shared by writing and reading OTF2.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "plait/error.hpp"

namespace plait::otf2 {

/// Checks the result of a write.
/// @throws Error with libotf2's reason and exit code 1 unless `code` is success.
void check(OTF2_ErrorCode code, const std::filesystem::path& file, const char* what);

/// Checks the result of a read.
/// @throws damaged_archive() with libotf2's reason unless `code` is success.
void check_read(OTF2_ErrorCode code, const std::filesystem::path& file, const char* what);

/// The error for an archive that cannot be read, with a remedy.
Error damaged_archive(const std::filesystem::path& file, const std::string& what);

struct CloseArchive {
  void operator()(OTF2_Archive* archive) const { OTF2_Archive_Close(archive); }
};
using Archive = std::unique_ptr<OTF2_Archive, CloseArchive>;

struct CloseReader {
  void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
};
using Reader = std::unique_ptr<OTF2_Reader, CloseReader>;

/// Stops libotf2 from printing errors to standard error.
void silence_libotf2();

/// The function name in lower case without "MPI_": "allreduce".
std::string bare_name(std::string function);

/// OTF2's number of a collective ("MPI_Iallreduce_init" is an allreduce); a barrier if it has none.
OTF2_CollectiveOp collective_op(const std::string& function);

/// The MPI function of a collective record outside of regions.
const char* function_of(OTF2_CollectiveOp op);

}  // namespace plait::otf2
