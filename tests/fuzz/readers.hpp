// SPDX-License-Identifier: BSD-3-Clause
// The readers that are fuzzed: each takes the bytes of an input and does with them what the
// commands of Plait do with such a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plait::fuzz {

using Bytes = std::span<const std::uint8_t>;

/// One reader. It may throw plait::Error, and nothing else.
struct Reader {
  std::string_view name;  ///< of the folder with its seeds
  void (*read)(Bytes);
  bool is_json = false;  ///< inputs are JSON, and are changed as such
  bool is_file = true;   ///< errors name a file in folder()
};

/// All readers.
const std::vector<Reader>& readers();

/// A folder in memory for the files of one process, deleted at its end.
const std::filesystem::path& folder();

/// Writes a file below folder(), with its folders.
std::filesystem::path write(const std::filesystem::path& name, Bytes bytes);

/// Empties a folder below folder().
std::filesystem::path empty_folder(const std::filesystem::path& name);

/// An input of several parts: their lengths, all but the last, as 32-bit numbers, then the parts.
/// Lengths beyond the end are cut; there are always `count` parts.
std::vector<Bytes> parts_of(Bytes bytes, std::size_t count);

std::string_view text_of(Bytes bytes);

/// Ends the process, with a failure of the reader.
[[noreturn]] void fail(const std::string& why, const std::string& message);

/// Keeps the compiler from leaving out what produced a value.
void use(const std::string& text);
void use(const std::vector<std::string>& lines);

void read_record(Bytes bytes);
void read_samples(Bytes bytes);
void read_call_tree(Bytes bytes);
void read_sample_times(Bytes bytes);
void read_functions(Bytes bytes);
void read_raw_trace(Bytes bytes);
void read_packed_trace(Bytes bytes);
void read_container(Bytes bytes);
void read_check(Bytes bytes);
void read_machine(Bytes bytes);
void read_plan(Bytes bytes);
void read_sweep(Bytes bytes);
void read_tune(Bytes bytes);
void read_tuned(Bytes bytes);
void read_parameters(Bytes bytes);
void read_network(Bytes bytes);
void read_profile(Bytes bytes);
void read_run_file(Bytes bytes);
void read_analysis(Bytes bytes);
void read_scaling(Bytes bytes);
void read_quarantine(Bytes bytes);
void read_cluster(Bytes bytes);
void read_remap(Bytes bytes);
void read_waiting(Bytes bytes);
void read_transport(Bytes bytes);
void read_hazards(Bytes bytes);
void read_graph(Bytes bytes);
void read_command_line(Bytes bytes);
void read_placement(Bytes bytes);
void read_allocation(Bytes bytes);
void read_output(Bytes bytes);
void read_hwloc_xml(Bytes bytes);
void read_synthetic(Bytes bytes);
void read_hpl_dat(Bytes bytes);
void read_matrix_market(Bytes bytes);
void read_otf2(Bytes bytes);

}  // namespace plait::fuzz
