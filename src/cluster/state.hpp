// SPDX-License-Identifier: BSD-3-Clause
// The state of a cluster that is up: a folder with its description and a lock.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster.hpp"

namespace plait::cluster {

inline constexpr const char* kSchema = "plait-cluster";
inline constexpr int kSchemaVersion = 1;

/// The description of clusters, as in `plait cluster status --json` and in each cluster's folder.
nlohmann::json to_document(const std::vector<Cluster>& clusters);

/// Reads the description in a cluster's folder.
/// @throws Error when it is missing or damaged.
Cluster load(const std::filesystem::path& folder);

/// Writes the description of a cluster into its folder.
/// @throws Error when it cannot be written.
void save(const Cluster& cluster);

/// The folder of this user's clusters: $XDG_RUNTIME_DIR/plait/clusters, else
/// /tmp/plait-UID/clusters. Created if missing.
/// @throws Error when it cannot be created or another user owns it.
std::filesystem::path clusters_folder();

/// The lock of a cluster's folder. The cluster's processes hold it while they live; whoever can
/// take it may remove the folder.
class FolderLock {
public:
  /// Creates the folder if it is missing, and tries to take its lock.
  /// @returns nothing if another process holds it
  static std::optional<FolderLock> take(const std::filesystem::path& folder);
  /// The same for an existing folder; nothing if there is none.
  static std::optional<FolderLock> take_existing(const std::filesystem::path& folder);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

  [[nodiscard]] int descriptor() const { return fd_; }
  /// Removes the folder and its contents.
  /// @throws Error when it cannot be removed.
  void remove_folder() const;

private:
  FolderLock(int fd, std::filesystem::path folder) : fd_(fd), folder_(std::move(folder)) {}
  int fd_;
  std::filesystem::path folder_;
};

}  // namespace plait::cluster
