// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes JSON files that carry a schema name and version.
#include "base/json_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/descriptor.hpp"
#include "base/failure.hpp"
#include "base/json.hpp"
#include "base/part_file.hpp"
#include "plait/error.hpp"

namespace plait {
namespace {

constexpr const char* kWriteAgain = "write it again with this Plait";
/// The most bytes of a pipe or device, which has no size.
constexpr std::size_t kMostOfStream = std::size_t{256} << 20;

[[noreturn]] void cannot_be_read(const std::filesystem::path& path, int why) {
  throw Error(path.string(), fmt::format("cannot be read ({})", std::strerror(why)),
              "check the path");
}

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
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) cannot_be_read(path, errno);
  std::string text;
  if (S_ISREG(status.st_mode)) text.reserve(static_cast<std::size_t>(status.st_size));
  std::array<char, 65536> part;
  for (;;) {
    const ssize_t n = ::read(file.get(), part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) cannot_be_read(path, errno);
    if (n == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(n));
    if (!S_ISREG(status.st_mode) && text.size() > kMostOfStream) {
      throw Error(path.string(), "a stream of more than 256 MiB", "write it to a file first");
    }
  }
}

nlohmann::json read_json_file(const std::filesystem::path& path, const std::string& schema,
                              int version, const std::string& remedy) {
  const std::string text = read_text_file(path);
  nlohmann::json value = convert_json(path, remedy, [&] { return parse_json(text); });
  if (!value.is_object()) throw Error(path.string(), "damaged: not a JSON object", remedy);
  const auto name = value.find("schema");
  if (name == value.end() || *name != schema) {
    throw Error(path.string(), fmt::format("not a {} file", schema), "check the path");
  }
  const auto found = value.find("schema_version");
  if (found == value.end() || !found->is_number()) {
    throw Error(path.string(), fmt::format("has no {} version", schema), kWriteAgain);
  }
  if (*found != version) {  // compares numbers of all sizes by value
    throw Error(path.string(),
                fmt::format("has {} version {}, but this Plait reads version {}", schema,
                            found->dump(), version),
                kWriteAgain);
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
