// SPDX-License-Identifier: BSD-3-Clause
// Containers of records: finds and lists the files of processes, loose ones and members alike.
//
// A member is named by a path below its container: RUN/records/n1-7-0a1b2c3d.records/n1-8-….rec.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "trace/container_format.h"

namespace plait::trace {

/// The suffix of containers.
inline constexpr const char* kContainerSuffix = ".records";

/// Where the bytes of a record file are.
struct RecordPlace {
  std::filesystem::path file;  ///< the file itself, or its container
  std::uint64_t offset = 0, bytes = 0;
  std::optional<std::uint32_t> crc;  ///< CRC-32C of the bytes of a member
};

/// The members of a container, sorted by name.
/// @throws plait::Error when it cannot be read, is cut off or damaged, or has another version.
std::vector<plait_container_member> container_members(const std::filesystem::path& container);

/// The place of a file, loose or in a container; nothing if there is none.
/// @throws plait::Error when its container cannot be read.
std::optional<RecordPlace> find_record_file(const std::filesystem::path& file);

/// True if there is such a file, loose or in a container that can be read.
bool record_file_exists(const std::filesystem::path& file);

/// What a file has, loose or in a container.
/// @throws plait::Error when it cannot be read.
std::string record_file_text(const std::filesystem::path& file);

/// The files in a folder with this suffix, loose or in containers, sorted by name. Of files of the
/// same name, which a process that was killed while it stored them leaves, only one.
/// @param problems  gets one line for each container that cannot be read; may be null
std::vector<std::filesystem::path> list_record_files(const std::filesystem::path& folder,
                                                     const std::string& suffix,
                                                     std::vector<std::string>* problems);

/// The same for all suffixes of files that processes write.
std::vector<std::filesystem::path> list_all_record_files(const std::filesystem::path& folder,
                                                         std::vector<std::string>* problems);

/// Removes files, loose or in containers, which are written again without them.
/// @throws plait::Error when a container cannot be written; std::filesystem::filesystem_error
void remove_record_files(const std::vector<std::filesystem::path>& files);

/// The most files that a node may leave in a run directory. With more, they become one.
inline constexpr std::size_t kMostLooseFiles = 64;

/// Moves the files of each node with more than `most` into a container of that node.
/// @returns what was left and why, one line each
std::vector<std::string> store_records(const std::filesystem::path& folder,
                                       std::size_t most = kMostLooseFiles);

/// Writes a container of files to an open descriptor. Files that cannot be read are left out.
/// @returns the names of those that it has
/// @throws plait::Error when it cannot be written; `name` is for the message
std::vector<std::string> write_container(int to, const std::string& name,
                                         const std::vector<std::filesystem::path>& files);

}  // namespace plait::trace
