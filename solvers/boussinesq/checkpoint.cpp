// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: a header of text, then u, v, w, b and their tendencies by plane, ky and kx.
#include "checkpoint.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <sstream>

#include "measures.hpp"

namespace plait::boussinesq {
namespace {

constexpr std::size_t header_bytes = 4096;
constexpr const char* magic = "plait-boussinesq-checkpoint 1";
constexpr const char* damaged = "the file is damaged; use an older checkpoint";
constexpr int array_count = 2 * state_count;

Complex* array_of(const Flow& flow, int n) {
  const auto number = static_cast<std::size_t>(n);
  return n < state_count ? flow.arrays().state[number]
                         : flow.arrays().tendency[number - state_count];
}

std::uint64_t hash_of(const Flow& flow) {
  std::uint64_t total = 0;
  for (int n = 0; n < array_count; ++n) {
    total += array_hash(flow, array_of(flow, n), static_cast<std::uint64_t>(n));
  }
  auto sum = std::bit_cast<std::int64_t>(total);
  flow.processes().sum({&sum, 1});
  return std::bit_cast<std::uint64_t>(sum);
}

/// What must be equal in the file and in the flow.
std::string grid_text(const Flow& flow) {
  const Grid& grid = flow.settings().grid;
  char text[256];
  std::snprintf(text, sizeof text, "byte_order %s\ngrid %d %d %d %s\nlengths %a %a %a\n",
                std::endian::native == std::endian::little ? "little" : "big", grid.points[0],
                grid.points[1], grid.points[2], grid.boundary(), grid.lengths[0], grid.lengths[1],
                grid.lengths[2]);
  return text;
}

std::string state_text(const Flow& flow, std::uint64_t hash) {
  char text[256];
  std::snprintf(text, sizeof text, "time %a\nsteps %lld\nlast_step %a\nhash %016llx\nend\n",
                flow.time(), static_cast<long long>(flow.steps()), flow.last_step(),
                static_cast<unsigned long long>(hash));
  return text;
}

std::int64_t all_modes(const Grid& grid) {
  return std::int64_t{1} * grid.modes_x() * grid.modes_y() * grid.planes();
}

/// Calls transfer(memory, bytes, place in the file) for all rows of this process, until one fails.
bool for_each_row(const Flow& flow,
                  const std::function<bool(Complex*, std::size_t, off_t)>& transfer) {
  const Block& block = flow.columns().block();
  const Grid& grid = flow.settings().grid;
  const bool whole = block.row() == grid.modes_x();  // then all rows of a plane are contiguous
  const std::int64_t runs = whole ? 1 : block.y.count();
  const std::int64_t length = whole ? block.plane() : block.row();
  for (int n = 0; n < array_count; ++n) {
    for (std::int64_t z = 0; z < block.planes; ++z) {
      for (std::int64_t j = 0; j < runs; ++j) {
        const std::int64_t place = n * all_modes(grid) +
                                   (z * grid.modes_y() + block.y.first + j) * grid.modes_x() +
                                   block.x.first;
        Complex* memory = array_of(flow, n) + z * block.plane() + j * block.row();
        if (!transfer(memory, static_cast<std::size_t>(length) * sizeof(Complex),
                      static_cast<off_t>(header_bytes +
                                         static_cast<std::size_t>(place) * sizeof(Complex)))) {
          return false;
        }
      }
    }
  }
  return true;
}

/// A file that closes itself.
struct File {
  int descriptor;
  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

using Transfer = ssize_t (*)(int, void*, std::size_t, off_t);

/// Repeats a system call until all bytes are transferred.
bool transfer_all(Transfer call, int descriptor, void* memory, std::size_t bytes, off_t place) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t now = call(descriptor, static_cast<char*>(memory) + done, bytes - done,
                             place + static_cast<off_t>(done));
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return false;
    done += static_cast<std::size_t>(now);
  }
  return true;
}

ssize_t write_at(int descriptor, void* memory, std::size_t bytes, off_t place) {
  return ::pwrite(descriptor, memory, bytes, place);
}

ssize_t read_at(int descriptor, void* memory, std::size_t bytes, off_t place) {
  return ::pread(descriptor, memory, bytes, place);
}

/// The header of a file, checked against the flow. Local.
std::string read_header(const Flow& flow, const std::string& path) {
  const std::string input = "--restart " + path;
  const File file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.descriptor < 0) throw Error(input, std::strerror(errno), "give an existing checkpoint");
  std::string text(header_bytes, '\0');
  const ssize_t got = ::pread(file.descriptor, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  if (!text.starts_with(std::string(magic) + "\n")) {
    throw Error(input, "not a checkpoint of this version of plait-boussinesq",
                "give a file that --checkpoint has written");
  }
  text.erase(0, std::strlen(magic) + 1);
  const std::string expected = grid_text(flow);
  if (!text.starts_with(expected)) {
    throw Error(input, "written for another grid or byte order",
                "give the --size, --length and --boundary of the run that wrote it");
  }
  struct stat status {};
  const auto bytes = static_cast<off_t>(header_bytes) + array_count *
                                                            all_modes(flow.settings().grid) *
                                                            static_cast<off_t>(sizeof(Complex));
  if (::fstat(file.descriptor, &status) != 0 || status.st_size != bytes) {
    throw Error(input,
                "truncated: " + std::to_string(status.st_size) + " bytes instead of " +
                    std::to_string(bytes),
                "use an older checkpoint");
  }
  return text.substr(expected.size());
}

}  // namespace

void write_checkpoint(const Flow& flow, const std::string& path) {
  Processes& processes = flow.processes();
  const std::string partial = path + ".partial";
  const Error failed("--checkpoint " + path, "cannot be written",
                     "check that the folder exists and that the file system is not full");
  std::string header =
      std::string(magic) + "\n" + grid_text(flow) + state_text(flow, hash_of(flow));
  header.resize(header_bytes, '\n');
  bool good = true;
  if (processes.rank() == 0) {
    const File file{::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    good = file.descriptor >= 0 &&
           transfer_all(write_at, file.descriptor, header.data(), header.size(), 0);
  }
  processes.agree(good ? nullptr : &failed);
  {
    const File file{::open(partial.c_str(), O_WRONLY | O_CLOEXEC)};
    good = file.descriptor >= 0 &&
           for_each_row(flow, [&](Complex* memory, std::size_t bytes, off_t place) {
             return transfer_all(write_at, file.descriptor, memory, bytes, place);
           });
    good = good && ::fsync(file.descriptor) == 0;
  }
  processes.agree(good ? nullptr : &failed);
  good = processes.rank() != 0 || std::rename(partial.c_str(), path.c_str()) == 0;
  processes.agree(good ? nullptr : &failed);
}

void read_checkpoint(Flow& flow, const std::string& path) {
  Processes& processes = flow.processes();
  const std::string input = "--restart " + path;
  // Time, steps and last step are exact as doubles; the hash travels in two halves.
  std::array<double, 5> numbers{};
  std::optional<Error> error;
  if (processes.rank() == 0) {
    try {
      const std::string text = read_header(flow, path);
      long long steps = 0;
      unsigned high = 0, low = 0;
      if (std::sscanf(text.c_str(), "time %la\nsteps %lld\nlast_step %la\nhash %8x%8x\nend",
                      &numbers[0], &steps, &numbers[2], &high, &low) != 5) {
        throw Error(input, "the header cannot be read", damaged);
      }
      numbers[1] = static_cast<double>(steps);
      numbers[3] = high;
      numbers[4] = low;
    } catch (const Error& thrown) {
      error.emplace(thrown);
    }
  }
  processes.agree(error ? &*error : nullptr);
  processes.broadcast(numbers);
  const File file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  const bool good = file.descriptor >= 0 &&
                    for_each_row(flow, [&](Complex* memory, std::size_t bytes, off_t place) {
                      return transfer_all(read_at, file.descriptor, memory, bytes, place);
                    });
  const Error unreadable(input, "cannot be read", "put it where all ranks can read it");
  processes.agree(good ? nullptr : &unreadable);
  const std::uint64_t written =
      (static_cast<std::uint64_t>(numbers[3]) << 32) | static_cast<std::uint64_t>(numbers[4]);
  if (hash_of(flow) != written) throw CommonError(input, "modes do not match their hash", damaged);
  flow.resume(numbers[0], static_cast<std::int64_t>(numbers[1]), numbers[2]);
}

}  // namespace plait::boussinesq
