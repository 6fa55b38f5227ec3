// SPDX-License-Identifier: BSD-3-Clause
// What is kept of a cluster while it is up: a folder with its description and a lock.
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

/// The description of clusters, as `status --json` prints it and each cluster's folder holds it.
nlohmann::json to_document(const std::vector<Cluster>& clusters);

/// Reads the description in a cluster's folder.
/// @throws Error when it is missing or damaged.
Cluster load(const std::filesystem::path& folder);

/// Writes a cluster's description into its folder.
void save(const Cluster& cluster);

/// Where this user's clusters have their folders: $XDG_RUNTIME_DIR/plait/clusters, else
/// /tmp/plait-UID/clusters. Made when missing.
/// @throws Error when another user owns it.
std::filesystem::path clusters_folder();

/// A folder's lock. The cluster's processes hold it as long as they live, so that whoever can take
/// it may remove the folder.
class FolderLock {
public:
  /// Makes the folder when missing, and tries to take its lock.
  /// @returns nothing when someone holds it
  static std::optional<FolderLock> take(const std::filesystem::path& folder);
  /// The same for a folder that is there; nothing when it is gone.
  static std::optional<FolderLock> take_existing(const std::filesystem::path& folder);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

  [[nodiscard]] int descriptor() const { return fd_; }
  /// Removes the folder with all that is in it.
  void remove_folder() const;

private:
  FolderLock(int fd, std::filesystem::path folder) : fd_(fd), folder_(std::move(folder)) {}
  int fd_;
  std::filesystem::path folder_;
};

}  // namespace plait::cluster
