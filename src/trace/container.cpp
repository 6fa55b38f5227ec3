// SPDX-License-Identifier: BSD-3-Clause
// Reads containers of records, checks their index, and finds and lists files in them.
#include "trace/container.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <span>
#include <system_error>

#include "plait/error.hpp"
#include "trace/crc.hpp"
#include "trace/mapped_file.hpp"

namespace plait::trace {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void damaged(const fs::path& container, const std::string& how) {
  throw Error(container.string(), "damaged: " + how,
              "run the program again under plait run, or collect its records again");
}

template <class Value>
Value at(std::span<const std::byte> bytes, std::uint64_t offset) {
  Value value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Names become parts of paths.
bool is_name(const plait_container_member& member) {
  const std::size_t length = ::strnlen(member.name, sizeof member.name);
  return length > 0 && length < sizeof member.name && member.name[0] != '.' &&
         std::memchr(member.name, '/', length) == nullptr;
}

void check_version(const fs::path& container, std::span<const std::byte> bytes) {
  const bool has_header = bytes.size() >= sizeof(plait_container_header);
  const auto header =
      has_header ? at<plait_container_header>(bytes, 0) : plait_container_header{0, 0, 0};
  if (header.magic != PLAIT_CONTAINER_MAGIC) {
    throw Error(container.string(), "not a container of records",
                "run the program again under plait run");
  }
  if (header.version != PLAIT_CONTAINER_VERSION) {
    throw Error(container.string(),
                fmt::format("has container version {}, but this Plait reads version {}",
                            header.version, PLAIT_CONTAINER_VERSION),
                "read it with the version of Plait that ran the program");
  }
}

bool is_member(const fs::path& file) {
  return file.parent_path().extension() == kContainerSuffix;
}

}  // namespace

std::vector<plait_container_member> container_members(const fs::path& container) {
  const MappedFile mapped(container);
  const std::span<const std::byte> bytes = mapped.bytes();
  check_version(container, bytes);
  constexpr std::uint64_t least = sizeof(plait_container_header) + sizeof(plait_container_trailer);
  if (bytes.size() < least) damaged(container, "it is cut off within its header");
  const std::uint64_t behind_index = bytes.size() - sizeof(plait_container_trailer);
  const auto trailer = at<plait_container_trailer>(bytes, behind_index);
  if (trailer.magic != PLAIT_CONTAINER_TRAILER_MAGIC) {
    damaged(container, fmt::format("it is cut off after {} bytes", bytes.size()));
  }
  constexpr std::uint64_t each = sizeof(plait_container_member);
  if (trailer.index_offset > behind_index ||
      trailer.members != (behind_index - trailer.index_offset) / each ||
      (behind_index - trailer.index_offset) % each != 0) {
    damaged(container, fmt::format("its index of {} files does not fit", trailer.members));
  }
  const std::span<const std::byte> index =
      bytes.subspan(trailer.index_offset, each * trailer.members);
  if (crc32c(index) != trailer.index_crc) damaged(container, "its index has another checksum");
  std::vector<plait_container_member> members(trailer.members);
  if (!members.empty()) std::memcpy(members.data(), index.data(), index.size());
  for (const plait_container_member& member : members) {
    if (!is_name(member) || member.offset % PLAIT_CONTAINER_ALIGNMENT != 0 ||
        member.offset > trailer.index_offset ||
        member.bytes > trailer.index_offset - member.offset) {
      damaged(container, "its index has an entry that cannot be");
    }
  }
  return members;
}

std::optional<RecordPlace> find_record_file(const fs::path& file) {
  std::error_code absent;
  if (!is_member(file)) {
    const std::uint64_t bytes = fs::file_size(file, absent);
    if (absent) return {};
    return RecordPlace{file, 0, bytes, {}};
  }
  const fs::path container = file.parent_path();
  if (!fs::is_regular_file(container, absent)) return {};
  const std::vector<plait_container_member> members = container_members(container);
  const std::string name = file.filename().string();
  const auto found = std::lower_bound(members.begin(), members.end(), name,
                                      [](const plait_container_member& one,
                                         const std::string& wanted) { return one.name < wanted; });
  if (found == members.end() || found->name != name) return {};
  return RecordPlace{container, found->offset, found->bytes, found->crc};
}

bool record_file_exists(const fs::path& file) {
  try {
    return find_record_file(file).has_value();
  } catch (const Error&) {
    return false;
  }
}

std::string record_file_text(const fs::path& file) {
  const MappedFile mapped(file);
  return {reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size()};
}

std::vector<fs::path> list_record_files(const fs::path& folder, const std::string& suffix,
                                        std::vector<std::string>* problems) {
  std::map<std::string, fs::path> by_name;
  std::vector<fs::path> containers;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    const fs::path& path = entry.path();
    if (path.extension() == suffix) by_name.emplace(path.filename().string(), path);
    if (path.extension() == kContainerSuffix) containers.push_back(path);
  }
  std::ranges::sort(containers);
  for (const fs::path& container : containers) {
    try {
      for (const plait_container_member& member : container_members(container)) {
        const fs::path path = container / member.name;
        if (path.extension() == suffix) by_name.emplace(member.name, path);
      }
    } catch (const Error& error) {
      if (problems != nullptr) problems->emplace_back(error.what());
    }
  }
  std::vector<fs::path> files;
  files.reserve(by_name.size());
  for (auto& [name, path] : by_name) files.push_back(std::move(path));
  return files;
}

}  // namespace plait::trace
