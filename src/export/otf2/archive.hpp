// SPDX-License-Identifier: BSD-3-Clause
// What writing and reading OTF2 share: handles that close, errors that throw.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "plait/error.hpp"

namespace plait::otf2 {

/// Of writing. @throws Error, with libotf2's reason and exit code 1, unless `code` is success.
void check(OTF2_ErrorCode code, const std::filesystem::path& file, const char* what);

/// Of reading. @throws damaged_archive(), with libotf2's reason, unless `code` is success.
void check_read(OTF2_ErrorCode code, const std::filesystem::path& file, const char* what);

/// The error of an archive that cannot be read, and what to do.
Error damaged_archive(const std::filesystem::path& file, const std::string& what);

struct CloseArchive {
  void operator()(OTF2_Archive* archive) const { OTF2_Archive_Close(archive); }
};
using Archive = std::unique_ptr<OTF2_Archive, CloseArchive>;

struct CloseReader {
  void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
};
using Reader = std::unique_ptr<OTF2_Reader, CloseReader>;

/// libotf2 shall throw nothing at standard error by itself.
void silence_libotf2();

/// OTF2's number of a collective ("MPI_Iallreduce_init" is an allreduce); a barrier for what has
/// none.
OTF2_CollectiveOp collective_op(const std::string& function);

/// The MPI function that a collective record stands for where no region tells.
const char* function_of(OTF2_CollectiveOp op);

}  // namespace plait::otf2
