// SPDX-License-Identifier: BSD-3-Clause
// What a run prints: for people, and as JSON.
#include "report.hpp"

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

namespace plait::boussinesq {
namespace {

using Json = nlohmann::ordered_json;

__attribute__((format(printf, 1, 2))) std::string print(const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

/// Points times steps per second, in millions.
double million_points_per_s(const Result& result) {
  if (!(result.seconds > 0)) return 0;
  return static_cast<double>(result.options.flow.grid.all_points()) *
         static_cast<double>(result.steps) / result.seconds / 1e6;
}

const char* subgrid_name(Subgrid subgrid) {
  constexpr const char* names[] = {"none", "smagorinsky", "sigma"};
  return names[static_cast<int>(subgrid)];
}

std::string date_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

/// @param parts  the times of the parts of steps are known
Json sample_json(const Sample& sample, bool parts) {
  const Measures& measures = sample.measures;
  Json json{{"step", sample.step},
            {"time", sample.time},
            {"kinetic_energy", measures.kinetic},
            {"potential_energy", measures.potential},
            {"dissipation", measures.dissipation},
            {"scalar_dissipation", measures.scalar_dissipation},
            {"buoyancy_flux", measures.flux},
            {"divergence", measures.divergence},
            {"mean", measures.mean},
            {"seconds", sample.seconds.steps}};
  if (parts) {
    json["transform_seconds"] = sample.seconds.transforms;
    json["column_seconds"] = sample.seconds.columns;
  }
  if (!sample.spectrum.empty()) json["spectrum"] = sample.spectrum;
  if (sample.vortices) {
    json["vortices"] = Json::array();
    for (const Vortex& vortex : *sample.vortices) {
      json["vortices"].push_back({{"circulation", vortex.circulation},
                                  {"y", vortex.y},
                                  {"z", vortex.z},
                                  {"wave_amplitude", vortex.wave},
                                  {"largest_vorticity", vortex.largest}});
    }
  }
  return json;
}

Json result_json(const Result& result) {
  const Options& options = result.options;
  const FlowSettings& flow = options.flow;
  Json json{{"grid",
             {{"points", flow.grid.points},
              {"modes", {flow.grid.modes_x(), flow.grid.modes_y()}},
              {"lengths", flow.grid.lengths},
              {"boundary", flow.grid.boundary()}}},
            {"equations",
             {{"viscosity", flow.physics.viscosity},
              {"diffusivity", flow.physics.diffusivity},
              {"subgrid", subgrid_name(flow.subgrid)},
              {"initial", options.problem}}},
            {"run",
             {{"ranks", result.ranks},
              {"threads", options.threads},
              {"pencils", options.pencils},
              {"schedule", result.schedule},
              {"transport", result.transport},
              {"chunks", options.chunks},
              {"fft", options.fftw ? "fftw" : "own"}}},
            {"steps", result.steps},
            {"seconds", result.seconds},
            {"seconds_per_step", result.seconds_per_step()},
            {"least_step_seconds", result.least_seconds},
            {"million_points_per_s", million_points_per_s(result)},
            {"last_time_step", result.last_step},
            {"smoothed_energy", result.smoothed_energy},
            {"sent_bytes_per_step", result.sent_bytes},
            {"cross_node_bytes_per_step", result.cross_node_bytes},
            {"memory",
             {{"field_bytes", result.field_bytes},
              {"plane_bytes", result.plane_bytes},
              {"message_bytes", result.message_bytes},
              {"thread_bytes", result.thread_bytes},
              {"start_resident_bytes", result.start_bytes},
              {"largest_resident_bytes", result.resident_bytes},
              {"bytes_per_point", result.bytes_per_point()}}},
            {"checksum", checksum_text(result)}};
  const bool parts = !options.paper_layout;
  if (parts) {
    json["transform_seconds"] = result.transform_seconds;
    json["column_seconds"] = result.column_seconds;
    json["message_wait_seconds"] = result.wait_seconds;
  }
  if (result.equal) json["equal_to_one_rank"] = *result.equal;
  if (result.parts) {
    const StepParts& alone = *result.parts;
    json["bound_seconds"] = {alone.transforms, alone.transposes, alone.passes};
    json["plane_seconds"] = alone.planes;
  }
  if (!result.spectrum.empty()) json["spectrum"] = result.spectrum;
  json["samples"] = Json::array();
  for (const Sample& sample : result.samples) {
    json["samples"].push_back(sample_json(sample, parts));
  }
  return json;
}

}  // namespace

std::string checksum_text(const Result& result) {
  return print("%016llx", static_cast<unsigned long long>(result.checksum));
}

std::string heading(const Options& options, int ranks) {
  const Grid& grid = options.flow.grid;
  const std::string cut = options.pencils[0] == 0
                              ? "slabs"
                              : print("%dx%d pencils", options.pencils[0], options.pencils[1]);
  return print("%dx%dx%d points, %s along z, %dx%d modes kept, %s, %s\n", grid.points[0],
               grid.points[1], grid.points[2], grid.boundary(), grid.modes_x(), grid.modes_y(),
               options.problem.c_str(),
               options.flow.subgrid == Subgrid::none ? "no subgrid model"
                                                     : subgrid_name(options.flow.subgrid)) +
         print("%d %s x %d %s, %s%s\n", ranks, ranks == 1 ? "rank" : "ranks", options.threads,
               options.threads == 1 ? "thread" : "threads", cut.c_str(),
               options.fftw ? "; transforms by FFTW, which does not keep bits" : "");
}

std::string sample_titles() {
  return print("%7s %9s %13s %11s %11s %9s\n", "step", "time", "kinetic", "potential",
               "dissipation", "div/grad");
}

std::string sample_line(const Sample& sample) {
  const Measures& measures = sample.measures;
  std::string text = print("%7lld %9.5g %13.7e %11.5e %11.5e %9.1e\n",
                           static_cast<long long>(sample.step), sample.time, measures.kinetic,
                           measures.potential, measures.dissipation, measures.divergence);
  if (sample.vortices) {
    for (const Vortex& vortex : *sample.vortices) {
      if (vortex.circulation == 0) continue;
      text +=
          print("        vortex at y %.4f, z %.4f: circulation %.4f, vorticity %.3f, wave %.4f\n",
                vortex.y, vortex.z, vortex.circulation, vortex.largest, vortex.wave);
    }
  }
  return text;
}

std::string report(const Result& result) {
  std::string text;
  for (std::size_t k = 0; k < result.spectrum.size(); ++k) {
    text += print("spectrum %3zu %.5e\n", k, result.spectrum[k]);
  }
  if (result.steps > 0) {
    text += print("time %.4f s, %lld steps, %.3f ms per step, at least %.3f ms\n", result.seconds,
                  static_cast<long long>(result.steps), 1e3 * result.seconds_per_step(),
                  1e3 * result.least_seconds);
    if (!result.options.paper_layout) {
      text += print(
          "transforms and transposes %.0f %% (waits for messages %.1f %%), columns %.0f %%; ",
          100 * result.transform_seconds / result.seconds,
          100 * result.wait_seconds / result.seconds, 100 * result.column_seconds / result.seconds);
    }
    text += print("%.2f million points/s\n", million_points_per_s(result));
  }
  if (result.options.flow.smooth_every > 0) {
    text += print("smoothing removed an energy of %.4e\n", result.smoothed_energy);
  }
  text += print("schedule %s, transport %s; %.3f MB sent per step, %.3f MB between nodes\n",
                result.schedule.c_str(), result.transport.c_str(),
                static_cast<double>(result.sent_bytes) / 1e6,
                static_cast<double>(result.cross_node_bytes) / 1e6);
  text += print(
      "memory %.1f B per point (fields, planes, messages); threads %.1f MB in all; "
      "largest resident %.1f MB per rank, %.1f MB before the fields\n",
      result.bytes_per_point(), static_cast<double>(result.thread_bytes) / 1e6,
      static_cast<double>(result.resident_bytes) / 1e6,
      static_cast<double>(result.start_bytes) / 1e6);
  if (result.parts) {
    const StepParts& alone = *result.parts;
    text += print(
        "bound %.3f ms: transforms %.3f ms, transposes %.3f ms, passes %.3f ms\n"
        "transforms with products %.3f ms\n",
        1e3 * alone.bound(), 1e3 * alone.transforms, 1e3 * alone.transposes, 1e3 * alone.passes,
        1e3 * alone.planes);
  }
  text += "checksum " + checksum_text(result) + "\n";
  if (result.equal) {
    text += *result.equal ? "check: equal to the run on one rank, bit for bit\n"
                          : "check: DIFFERS from the run on one rank\n";
  }
  return text;
}

void write_json(const std::string& path, const std::vector<std::string>& command,
                const std::string& mpi_library, const std::vector<Result>& results) {
  Json json{{"schema", "plait-boussinesq"}, {"schema_version", 1}, {"plait_version", PLAIT_VERSION},
            {"created", date_text()},       {"command", command},  {"mpi_library", mpi_library},
            {"runs", Json::array()}};
  for (const Result& result : results) json["runs"].push_back(result_json(result));
  std::ofstream file(path);
  file << json.dump(2) << "\n" << std::flush;
  if (!file) {
    throw Error("--json " + path, "cannot be written", "check that the file system is not full");
  }
}

}  // namespace plait::boussinesq
