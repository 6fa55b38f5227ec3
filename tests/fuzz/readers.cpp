// SPDX-License-Identifier: BSD-3-Clause
// The entry of libFuzzer: chooses a reader, runs it, and checks what it throws.
#include "readers.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>

#include "mutate_json.hpp"
#include "plait/error.hpp"

namespace plait::fuzz {
namespace {

namespace fs = std::filesystem;

class Folder {
public:
  Folder() {
    const fs::path memory = "/dev/shm";
    path_ = (fs::is_directory(memory) ? memory : fs::temp_directory_path()) /
            ("plait-fuzz-" + std::to_string(::getpid()));
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code none;
    fs::remove_all(path_, none);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

private:
  fs::path path_;
};

const Reader* chosen = nullptr;

/// CPU time that a reader may take for one input, s. Unlike libFuzzer's limit, it does not depend
/// on what else the machine does.
constexpr double kMostCpu = 10;

/// CPU time of this process and of the children that it waited for, s.
double cpu_s() {
  const auto seconds = [](int who) {
    rusage use{};
    ::getrusage(who, &use);
    return static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
  };
  return seconds(RUSAGE_SELF) + seconds(RUSAGE_CHILDREN);
}

/// Rule 8 of CONTRIBUTING.md: one line that names the input, without text of libraries unless the
/// input contains it.
void check_message(const std::string& message, std::string_view input) {
  constexpr std::string_view kLibrary = "[json.exception";
  if (message.find(kLibrary) != message.npos && input.find(kLibrary) == input.npos) {
    fail("text of the JSON library", message);
  }
  if (!chosen->is_file) return;
  if (message.find('\n') != message.npos) fail("more than one line", message);
  if (message.find(folder().string()) == message.npos) fail("the file is not named", message);
}

}  // namespace

const std::vector<Reader>& readers() {
  static const std::vector<Reader> all = {
      {"record", read_record},
      {"functions", read_functions},
      {"raw_trace", read_raw_trace},
      {"packed_trace", read_packed_trace},
      {"container", read_container},
      {"samples", read_samples},
      {"call_tree", read_call_tree, true},
      {"sample_times", read_sample_times},
      {"check", read_check},
      {"machine", read_machine, true},
      {"plan", read_plan, true},
      {"network", read_network, true},
      {"profile", read_profile, true},
      {"run_file", read_run_file, true},
      {"analysis", read_analysis, true},
      {"scaling", read_scaling, true},
      {"sweep", read_sweep, true},
      {"tune", read_tune, true},
      {"tuned", read_tuned, true},
      {"quarantine", read_quarantine, true},
      {"cluster", read_cluster, true},
      {"remap", read_remap, true},
      {"waiting", read_waiting},
      {"transport", read_transport},
      {"hazards", read_hazards, true},
      {"graph", read_graph},
      {"parameters", read_parameters, false, false},
      {"command_line", read_command_line, false, false},
      {"placement", read_placement, false, false},
      {"allocation", read_allocation, false, false},
      {"output", read_output, false, false},
      {"hwloc_xml", read_hwloc_xml},
      {"synthetic", read_synthetic, false, false},
      {"hpl_dat", read_hpl_dat},
      {"matrix_market", read_matrix_market},
#ifdef PLAIT_HAS_OTF2
      {"otf2", read_otf2},
#endif
  };
  return all;
}

const fs::path& folder() {
  static const Folder made;
  return made.path();
}

fs::path write(const fs::path& name, Bytes bytes) {
  fs::path file = folder() / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return file;
}

fs::path empty_folder(const fs::path& name) {
  fs::path made = folder() / name;
  fs::remove_all(made);
  fs::create_directories(made);
  return made;
}

std::vector<Bytes> parts_of(Bytes bytes, std::size_t count) {
  std::vector<std::uint32_t> lengths(count - 1, 0);
  const std::size_t head = std::min(bytes.size(), lengths.size() * sizeof(std::uint32_t));
  std::memcpy(lengths.data(), bytes.data(), head);
  bytes = bytes.subspan(head);
  std::vector<Bytes> parts;
  for (const std::uint32_t length : lengths) {
    const std::size_t taken = std::min<std::size_t>(length, bytes.size());
    parts.push_back(bytes.first(taken));
    bytes = bytes.subspan(taken);
  }
  parts.push_back(bytes);
  return parts;
}

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void fail(const std::string& why, const std::string& message) {
  std::fprintf(stderr, "plait_fuzz: %s: %s\n", why.c_str(), message.c_str());
  std::abort();
}

void use(const std::string& text) {
  static volatile std::size_t sink = 0;
  sink = sink + text.size();
}

void use(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) use(line);
}

}  // namespace plait::fuzz

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view kOption = "--reader=";
  for (int i = 1; i < *argc; ++i) {
    const std::string_view argument = (*argv)[i];
    if (!argument.starts_with(kOption)) continue;
    for (const plait::fuzz::Reader& reader : plait::fuzz::readers()) {
      if (reader.name == argument.substr(kOption.size())) plait::fuzz::chosen = &reader;
    }
  }
  if (plait::fuzz::chosen != nullptr) return 0;
  std::fprintf(stderr, "plait_fuzz: give --reader=NAME, one of:");
  for (const plait::fuzz::Reader& reader : plait::fuzz::readers()) {
    std::fprintf(stderr, " %s", std::string(reader.name).c_str());
  }
  std::fprintf(stderr, "\n");
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Exactly as large as the input, so that the address sanitizer sees what is read beyond it.
  const std::unique_ptr<std::uint8_t[]> copy(new std::uint8_t[size]);
  std::copy_n(data, size, copy.get());
  const double before = plait::fuzz::cpu_s();
  try {
    plait::fuzz::chosen->read({copy.get(), size});
  } catch (const plait::Error& error) {
    plait::fuzz::check_message(error.what(), {reinterpret_cast<const char*>(data), size});
  }
  const double took = plait::fuzz::cpu_s() - before;
  if (took > plait::fuzz::kMostCpu) {
    plait::fuzz::fail("too slow", std::to_string(took) + " s of CPU time");
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most)
    __attribute__((weak));

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  // One change in four is libFuzzer's own, which also makes text that is not JSON.
  if (plait::fuzz::chosen->is_json && seed % 4 != 0) {
    const std::string changed =
        plait::fuzz::mutated_json({reinterpret_cast<char*>(data), size}, seed);
    if (!changed.empty() && changed.size() <= most) {
      std::copy(changed.begin(), changed.end(), data);
      return changed.size();
    }
  }
  return LLVMFuzzerMutate(data, size, most);
}
