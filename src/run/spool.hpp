// SPDX-License-Identifier: BSD-3-Clause
// The folder of --spool: keeps records on a fast local file system while the program runs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace plait::run {

/// A folder of this user's own, below one that other users may write to as well (/dev/shm). Its
/// name cannot be predicted, only this user may enter it, and nothing in it is opened through a
/// link. The destructor removes it unless files are left in it. A plait that is killed leaves the
/// folder to collect_spools().
class Spool {
public:
  /// Makes the folder plait-NAME-XXXXXX below `base`, which is created if missing.
  /// @param base  empty: there is no spool, and path() is empty
  /// @param run   the run directory, by which collect_spools() finds the folder
  /// @throws Error when it cannot be created.
  Spool(const std::filesystem::path& base, const std::string& name,
        const std::filesystem::path& run);
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
  int mark_ = -1;    ///< the file that names the run; locked as long as this process uses the spool
};

/// What collect_spools() did.
struct Collected {
  std::size_t spools = 0, files = 0;
  std::vector<std::string> problems;  ///< what was left and why, one line each
};

/// Moves the records that killed processes of a run left in spools below `base`, on this node, into
/// a folder. Removes the spools. Leaves those in which processes still write.
/// @param base     the folder of --spool; a missing one has no spools
/// @param run      the run directory
/// @param records  gets the files
Collected collect_spools(const std::filesystem::path& base, const std::filesystem::path& run,
                         const std::filesystem::path& records);

/// The same, but into a container (trace/container.hpp) that is written to an open descriptor: on
/// a node that does not have the run directory. Writes nothing if there are no spools.
/// @param name  of the descriptor's file, for messages
/// @throws Error when it cannot be written; the spools then stay.
Collected store_spools(const std::filesystem::path& base, const std::filesystem::path& run, int to,
                       const std::string& name);

}  // namespace plait::run
