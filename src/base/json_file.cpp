// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes JSON files that carry a schema name and version.
#include "base/json_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/failure.hpp"
#include "base/part_file.hpp"
#include "plait/error.hpp"

namespace plait {
namespace {

void write_all(int fd, const std::string& text, const std::filesystem::path& path) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      throw Failure(path.string(), fmt::format("cannot be written ({})", std::strerror(errno)),
                    "free space or choose another folder");
    }
    done += static_cast<std::size_t>(n);
  }
}

}  // namespace

std::string read_text_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw Error(path.string(), fmt::format("cannot be read ({})", std::strerror(errno)),
                "check the path");
  }
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

nlohmann::json read_json_file(const std::filesystem::path& path, const std::string& schema,
                              int version, const std::string& remedy) {
  nlohmann::json value = nlohmann::json::parse(read_text_file(path), nullptr, false);
  if (value.is_discarded() || !value.is_object()) {
    throw Error(path.string(), "damaged: not a JSON object", remedy);
  }
  if (value.value("schema", "") != schema) {
    throw Error(path.string(), fmt::format("not a {} file", schema), "check the path");
  }
  const auto found = value.find("schema_version");
  if (found == value.end() || !found->is_number_integer() || found->get<int>() != version) {
    throw Error(path.string(),
                found == value.end()
                    ? fmt::format("has no {} version", schema)
                    : fmt::format("has {} version {}, but this Plait reads version {}", schema,
                                  found->dump(), version),
                "write it again with this Plait");
  }
  return value;
}

void write_text_file(const std::filesystem::path& path, const std::string& text) {
  const PartFile part = create_part_file(path);
  if (part.fd < 0) {
    throw Error(path.string(), fmt::format("cannot be written ({})", std::strerror(errno)),
                "check the folder and its permissions");
  }
  try {
    write_all(part.fd, text, path);
  } catch (...) {
    ::close(part.fd);
    ::unlink(part.path.c_str());
    throw;
  }
  if (::close(part.fd) != 0 || std::rename(part.path.c_str(), path.c_str()) != 0) {
    const int why = errno;
    ::unlink(part.path.c_str());
    throw Failure(path.string(), fmt::format("cannot be written ({})", std::strerror(why)),
                  "free space or choose another folder");
  }
}

void write_json_file(const std::filesystem::path& path, const nlohmann::json& value) {
  // A command line may contain bytes that are not UTF-8.
  write_text_file(path, value.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace plait
