// SPDX-License-Identifier: BSD-3-Clause
// Writes graphs in the formats of the peers, runs them, and reads their partitions.
#include "peers.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/subprocess.hpp"
#include "plait/error.hpp"

namespace plait::bench {
namespace {

constexpr std::chrono::seconds kLimit{120};

/// A temporary folder that the destructor removes.
class Folder {
public:
  Folder()
      : path_(std::filesystem::temp_directory_path() / ("plait-map-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }

private:
  std::filesystem::path path_;
};

void note(std::vector<std::string>& missing, const std::string& name) {
  if (std::find(missing.begin(), missing.end(), name) == missing.end()) missing.push_back(name);
}

template <typename Numbers>
void write_line(std::ostream& out, const Numbers& numbers) {
  for (const auto& number : numbers) out << static_cast<std::int64_t>(number) << ' ';
  out << '\n';
}

void run_python(const Folder& folder, const mapping::Graph& graph, const std::vector<int>& capacity,
                std::map<std::string, PeerResult>& results, std::vector<std::string>& missing) {
  if (!std::filesystem::exists(PLAIT_MAPPERS_PYTHON)) {
    note(missing, "METIS");
    note(missing, "KaHIP");
    return;
  }
  std::ofstream file(folder.file("graph"));
  write_line(file, capacity);
  write_line(file, graph.first);
  write_line(file, graph.to);
  write_line(file, graph.bytes);
  file.close();
  const CommandResult run =
      run_command({PLAIT_MAPPERS_PYTHON, PLAIT_PARTITION_PEERS, folder.file("graph")}, kLimit);
  if (run.exit_code != 0) throw Error("METIS and KaHIP", "failed: " + run.err, "run again");
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name;
    PeerResult result;
    fields >> name;
    // KaHIP also prints other lines.
    if (name != "METIS" && name != "KaHIP") continue;
    if (!(fields >> result.seconds)) {
      note(missing, name);
      continue;
    }
    for (int part = 0; fields >> part;) result.node_of.push_back(part);
    results[name] = result;
  }
}

/// The seconds after "Mapping" in the output of Scotch with -vt.
double mapping_seconds(const std::string& output) {
  std::istringstream fields(output);
  for (std::string word; fields >> word;) {
    if (word.rfind("Mapping", 0) == 0 && fields >> word) return std::stod(word);
  }
  return 0;
}

void run_scotch(const Folder& folder, const mapping::Graph& graph, const std::vector<int>& capacity,
                std::map<std::string, PeerResult>& results, std::vector<std::string>& missing) {
  if (find_in_path("scotch_gmap").empty()) {
    note(missing, "Scotch");
    return;
  }
  std::ofstream source(folder.file("source"));
  source << "0\n" << graph.size() << ' ' << graph.to.size() << "\n0 010\n";
  for (std::size_t p = 0; p + 1 < graph.first.size(); ++p) {
    source << graph.first[p + 1] - graph.first[p];
    for (auto i = static_cast<std::size_t>(graph.first[p]);
         i < static_cast<std::size_t>(graph.first[p + 1]); ++i) {
      source << ' ' << static_cast<std::int64_t>(graph.bytes[i]) << ' ' << graph.to[i];
    }
    source << '\n';
  }
  source.close();
  std::ofstream target(folder.file("target"));
  target << "cmpltw " << capacity.size() << ' ';
  write_line(target, capacity);
  target.close();
  const CommandResult run =
      run_command({"scotch_gmap", folder.file("source"), folder.file("target"),
                   folder.file("mapping"), folder.file("log"), "-b0.0001", "-vt"},
                  kLimit);
  if (run.exit_code != 0) throw Error("Scotch", "failed: " + run.err, "run again");
  std::ifstream mapping(folder.file("mapping"));
  std::ifstream log(folder.file("log"));
  std::stringstream text;
  text << log.rdbuf();
  PeerResult result;
  result.seconds = mapping_seconds(text.str() + run.out);
  result.node_of.assign(static_cast<std::size_t>(graph.size()), 0);
  int vertices = 0;
  int process = 0;
  int part = 0;
  for (mapping >> vertices; mapping >> process >> part;) {
    result.node_of[static_cast<std::size_t>(process)] = part;
  }
  results["Scotch"] = result;
}

}  // namespace

std::map<std::string, PeerResult> run_peers(const mapping::Graph& graph,
                                            const std::vector<int>& capacity,
                                            std::vector<std::string>& missing) {
  const Folder folder;
  std::map<std::string, PeerResult> results;
  run_python(folder, graph, capacity, results, missing);
  run_scotch(folder, graph, capacity, results, missing);
  return results;
}

}  // namespace plait::bench
