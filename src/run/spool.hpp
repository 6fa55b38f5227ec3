// SPDX-License-Identifier: BSD-3-Clause
// The folder of --spool: keeps records on a fast local file system while the program runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace plait::run {

/// A folder of this user's own, below one that other users may write to as well (/dev/shm). Its
/// name cannot be predicted, only this user may enter it, and nothing in it is opened through a
/// link. The destructor removes it unless files are left in it.
class Spool {
public:
  /// Makes the folder plait-NAME-XXXXXX below `base`, which is created if missing.
  /// @param base  empty: there is no spool, and path() is empty
  /// @throws Error when it cannot be created.
  Spool(const std::filesystem::path& base, const std::string& name);
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Moves the records into a folder. Leaves what is not a file of this user.
  /// @returns what was left and why, one line each
  std::vector<std::string> empty_into(const std::filesystem::path& records) const;

private:
  std::filesystem::path path_;
  int folder_ = -1;  ///< the folder that was made, even if its path now leads elsewhere
};

}  // namespace plait::run
