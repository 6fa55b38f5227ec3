// SPDX-License-Identifier: BSD-3-Clause
// Reads the calls and times of instrumented functions that a process left beside its record.
#include "trace/function_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <string>

#include "plait/error.hpp"
#include "trace/budget.hpp"
#include "trace/container.hpp"
#include "trace/function_format.h"
#include "trace/mapped_file.hpp"

namespace plait::trace {
namespace {

class Reader {
public:
  explicit Reader(const std::filesystem::path& file)
      : file_(file), mapped_(file), bytes_(mapped_.bytes()), copies_(bytes_.size()) {}

  FunctionFile read() {
    const auto head = at<plait_functions_header>(0);
    if (head.magic != PLAIT_FUNCTIONS_MAGIC || head.version != PLAIT_FUNCTIONS_VERSION) {
      damaged("it is not a function file of this version");
    }
    if (head.functions > PLAIT_MOST_FUNCTIONS) damaged("it has too many functions");
    if (!(head.ticks_per_s > 1 && head.ticks_per_s < 1e12)) damaged("its clock is impossible");
    FunctionFile out;
    out.lost = head.lost;
    out.functions.resize(head.functions);
    std::uint32_t left = head.functions;
    for (std::uint64_t next = head.first_function; next != 0 && left > 0; --left) {
      const auto entry = at<plait_function_entry>(next);
      // The process may have added some since the header was read.
      if (entry.number < head.functions) {
        out.functions[entry.number] = {{text(entry.module), entry.address, entry.address},
                                       (entry.flags & PLAIT_FUNCTION_OFF) != 0};
      } else {
        ++left;
      }
      if (entry.next >= next) damaged("its functions form a circle");
      next = entry.next;
    }
    read_threads(head, out);
    return out;
  }

private:
  [[noreturn]] void damaged(const std::string& how) const {
    throw Error(file_.string(), "damaged: " + how, "run the program again under plait run");
  }

  /// A copy, because the process that writes the file may still run.
  template <class T>
  T at(std::uint64_t offset) const {
    if (offset > bytes_.size() || sizeof(T) > bytes_.size() - offset || offset % alignof(T) != 0) {
      damaged(fmt::format("an entry at offset {} exceeds its {} bytes", offset, bytes_.size()));
    }
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  std::string text(std::uint64_t offset) {
    if (offset >= bytes_.size()) damaged("a path is behind its end");
    const auto* begin = reinterpret_cast<const char*>(bytes_.data() + offset);
    const std::string_view rest(begin, bytes_.size() - offset);
    const std::string_view path = rest.substr(0, rest.find('\0'));
    if (!copies_.take(path.size())) damaged("its entries refer to the same text too often");
    return std::string(path);
  }

  void read_threads(const plait_functions_header& head, FunctionFile& out) {
    for (std::uint64_t next = head.first_thread; next != 0;) {
      const auto entry = at<plait_function_thread>(next);
      FunctionThread thread{static_cast<int>(std::min(entry.number, 1U << 30)), {}};
      for (std::size_t i = 0; i < head.functions; ++i) {
        const std::uint64_t chunk = entry.chunks[i / PLAIT_FUNCTIONS_IN_CHUNK];
        if (chunk == 0) continue;
        const auto count = at<plait_function_count>(chunk + i % PLAIT_FUNCTIONS_IN_CHUNK *
                                                                sizeof(plait_function_count));
        if (count.calls == 0) continue;
        if (!copies_.take(sizeof(FunctionCount))) damaged("its threads share too many counts");
        const auto seconds = [&](std::uint64_t ticks) {
          return static_cast<double>(ticks) / head.ticks_per_s;
        };
        thread.counts.push_back(
            {i, count.calls, seconds(count.inclusive_ticks), seconds(count.exclusive_ticks)});
      }
      out.threads.push_back(std::move(thread));
      if (entry.next >= next) damaged("its threads form a circle");
      next = entry.next;
    }
    std::ranges::sort(out.threads, {}, &FunctionThread::number);
  }

  std::filesystem::path file_;
  MappedFile mapped_;
  std::span<const std::byte> bytes_;
  Budget copies_;
};

}  // namespace

std::optional<FunctionFile> read_function_file(const std::filesystem::path& record) {
  std::filesystem::path file = record;
  file.replace_extension(".functions");
  if (!record_file_exists(file)) return {};
  return Reader(file).read();
}

}  // namespace plait::trace
