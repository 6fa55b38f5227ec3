// SPDX-License-Identifier: BSD-3-Clause
// The state of a cluster that is up: a folder with its description and a lock.
#include "cluster/state.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/failure.hpp"
#include "base/json.hpp"
#include "base/json_file.hpp"
#include "plait/error.hpp"

namespace plait::cluster {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "cluster.json";
constexpr const char* kLock = "lock";

nlohmann::json to_json(const Cluster& cluster) {
  nlohmann::json nodes = nlohmann::json::array();
  for (const Node& node : cluster.nodes) {
    nodes.push_back({{"name", node.name},
                     {"address", node.address},
                     {"pid", node.pid},
                     {"pus", node.pus},
                     {"cores", node.cores}});
  }
  const ClusterRequest& request = cluster.request;
  return {{"name", request.name},
          {"bytes_per_second", request.bytes_per_second},
          {"latency_s", request.latency_s},
          {"burst_bytes", request.burst_bytes},
          {"head_pid", cluster.head_pid},
          {"user_namespace", cluster.user_namespace},
          {"ends_with_caller", request.ends_with_caller},
          {"shares_cores", cluster.shares_cores()},
          {"folder", cluster.folder.string()},
          {"nodes", nodes}};
}

/// 0: not started yet.
void get_pid(const nlohmann::json& json, pid_t& pid) {
  json.get_to(pid);
  if (pid < 0) throw JsonError(fmt::format("{} is not a process", pid));
}

Cluster from_json(const nlohmann::json& json) {
  Cluster cluster;
  ClusterRequest& request = cluster.request;
  json.at("name").get_to(request.name);
  json.at("bytes_per_second").get_to(request.bytes_per_second);
  json.at("latency_s").get_to(request.latency_s);
  request.burst_bytes = json.value("burst_bytes", 0.0);  // not in older ones
  get_pid(json.at("head_pid"), cluster.head_pid);
  json.at("user_namespace").get_to(cluster.user_namespace);
  json.at("ends_with_caller").get_to(request.ends_with_caller);
  cluster.folder = json.at("folder").get<std::string>();
  for (const nlohmann::json& entry : json.at("nodes")) {
    Node node;
    entry.at("name").get_to(node.name);
    entry.at("address").get_to(node.address);
    get_pid(entry.at("pid"), node.pid);
    entry.at("pus").get_to(node.pus);
    entry.at("cores").get_to(node.cores);
    cluster.nodes.push_back(std::move(node));
  }
  request.nodes = static_cast<int>(cluster.nodes.size());
  if (!cluster.nodes.empty()) request.cores_per_node = cluster.nodes.front().cores;
  return cluster;
}

/// Creates a folder that only this user may enter. Another user may have created one in /tmp.
void make_private(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    throw Error(folder.string(), std::strerror(errno),
                "set XDG_RUNTIME_DIR to a folder that you own");
  }
  struct stat found {};
  if (::lstat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) ||
      found.st_uid != ::geteuid() || (found.st_mode & 0077) != 0) {
    throw Error(folder.string(), "not a folder that only you may enter",
                "remove it, or set XDG_RUNTIME_DIR to a folder that you own");
  }
}

int open_lock(const fs::path& folder, int flags) {
  const int fd = ::open((folder / kLock).c_str(), O_RDWR | O_CLOEXEC | flags, 0600);
  if (fd < 0) return -1;
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  ::close(fd);
  return -1;
}

/// False if the folder was removed, and perhaps created again, since the lock was opened.
bool still_there(int fd, const fs::path& folder) {
  struct stat held {};
  struct stat now {};
  return ::fstat(fd, &held) == 0 && ::stat((folder / kLock).c_str(), &now) == 0 &&
         held.st_ino == now.st_ino && held.st_dev == now.st_dev;
}

}  // namespace

nlohmann::json to_document(const std::vector<Cluster>& clusters) {
  nlohmann::json list = nlohmann::json::array();
  for (const Cluster& cluster : clusters) list.push_back(to_json(cluster));
  return {{"schema", kSchema}, {"schema_version", kSchemaVersion}, {"clusters", list}};
}

Cluster load(const fs::path& folder) {
  const nlohmann::json document = read_json_file(folder / kFile, kSchema, kSchemaVersion);
  return convert_json(folder / kFile, "stop the cluster: plait cluster down",
                      [&] { return from_json(document.at("clusters").at(0)); });
}

void save(const Cluster& cluster) {
  write_json_file(cluster.folder / kFile, to_document({cluster}));
}

fs::path clusters_folder() {
  fs::path base;
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  struct stat found {};
  // Root may have inherited the variable from another user.
  if (runtime != nullptr && runtime[0] == '/' && ::access(runtime, W_OK) == 0 &&
      ::stat(runtime, &found) == 0 && found.st_uid == ::geteuid()) {
    base = fs::path(runtime) / "plait";
  } else {
    base = fmt::format("/tmp/plait-{}", ::geteuid());
  }
  make_private(base);
  make_private(base / "clusters");
  return base / "clusters";
}

std::optional<FolderLock> FolderLock::take(const fs::path& folder) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    make_private(folder);
    const int fd = open_lock(folder, O_CREAT);
    if (fd < 0 && errno != ENOENT) return std::nullopt;
    if (fd < 0) continue;
    FolderLock lock(fd, folder);
    if (still_there(fd, folder)) return lock;
  }
  return std::nullopt;
}

std::optional<FolderLock> FolderLock::take_existing(const fs::path& folder) {
  const int fd = open_lock(folder, 0);
  if (fd < 0) return std::nullopt;
  FolderLock lock(fd, folder);
  if (!still_there(fd, folder)) return std::nullopt;
  return lock;
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), folder_(std::move(other.folder_)) {}

FolderLock::~FolderLock() {
  if (fd_ >= 0) ::close(fd_);
}

void FolderLock::remove_folder() const {
  std::error_code problem;
  fs::remove_all(folder_, problem);
  if (problem) {
    throw Failure(folder_.string(), "cannot be removed (" + problem.message() + ")",
                  "remove it by hand");
  }
}

}  // namespace plait::cluster
