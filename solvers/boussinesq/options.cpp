// SPDX-License-Identifier: BSD-3-Clause
// Reads the command line of plait-boussinesq.
#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <span>
#include <sstream>
#include <utility>

#include "command_line.hpp"
#include "profile_file.hpp"

namespace plait::boussinesq {
namespace {

constexpr double pi = std::numbers::pi;

/// The values of options as text.
struct Input {
  std::string named_case, size, length, boundary = "lids", viscosity, diffusivity, stratification,
                                        current, subgrid = "none", prandtl = "1";
  std::string initial, turbulence, wave;
  std::vector<std::string> pairs;
  std::string steps, until, dt, courant = "0.5", largest_dt = "0.1", smooth_every = "0",
                                filter = "0.49", poisson;
  std::string every = "10", checkpoint_every = "0";
  std::string threads, chunks = "4", pencils, layout = "modes", fft = "own", hybrid;
  std::string slice;
};

/// Numbers between separators.
template <class Number>
std::vector<Number> read_list(const std::string& option, const std::string& text, char separator,
                              Number least, const std::string& accepted) {
  std::vector<Number> numbers;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, separator);) {
    Number number{};
    const char* end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, number);
    if (error != std::errc{} || stop != end || !(number >= least)) {
      throw refusal(option, text, accepted);
    }
    numbers.push_back(number);
  }
  if (numbers.empty() || text.ends_with(separator)) throw refusal(option, text, accepted);
  return numbers;
}

template <class Number>
Number read_number(const std::string& option, const std::string& text, Number least) {
  return plait::read_number<Number>(option, text, least, std::numeric_limits<Number>::max());
}

int read_name(const std::string& option, const std::string& text,
              std::initializer_list<const char*> names) {
  return static_cast<int>(
      plait::read_name(option, text, std::span<const char* const>(names.begin(), names.size())));
}

void read_grid(const Input& input, Grid& grid) {
  const int boundary = read_name("--boundary", input.boundary, {"lids", "periodic", "no_slip"});
  grid.periodic = boundary == 1;
  grid.no_slip = boundary == 2;
  if (!input.size.empty()) {
    const std::string accepted =
        "NXxNYxNZ, such as 64x64x65: NX even and at least 2, NY at least "
        "1, NZ at least 8";
    const auto numbers = read_list<int>("--size", input.size, 'x', 1, accepted);
    const bool large = *std::max_element(numbers.begin(), numbers.end()) > 1 << 16;
    if (numbers.size() != 3 || numbers[0] % 2 != 0 || numbers[2] < 8 || large) {
      throw refusal("--size", input.size, accepted);
    }
    std::copy(numbers.begin(), numbers.end(), grid.points.begin());
  }
  if (input.length.empty()) {
    if (grid.periodic) grid.lengths[2] = 2 * pi;
    return;
  }
  const auto lengths = read_list<double>("--length", input.length, 'x', 1e-300, "LXxLYxLZ");
  if (lengths.size() != 3) throw refusal("--length", input.length, "LXxLYxLZ, such as 8.6x8x4");
  std::copy(lengths.begin(), lengths.end(), grid.lengths.begin());
}

/// A pair from "Y,Z,B0,G,CORE[,AMPLITUDE,WAVES]".
VortexPair read_pair(const std::string& text) {
  const std::string accepted = "Y,Z,B0,G,CORE or Y,Z,B0,G,CORE,AMPLITUDE,WAVES";
  const double least = std::numeric_limits<double>::lowest();
  const auto n = read_list<double>("--pair", text, ',', least, accepted);
  if ((n.size() != 5 && n.size() != 7) || !(n[2] > 0) || !(n[4] > 0)) {
    throw refusal("--pair", text, accepted);
  }
  VortexPair pair{n[0], n[1], n[2], n[3], n[4]};
  if (n.size() == 7) {
    pair.amplitude = n[5];
    pair.waves = static_cast<int>(n[6]);
  }
  return pair;
}

void read_initial(const Input& input, Options& options) {
  InitialOptions& initial = options.initial;
  const Grid& grid = options.flow.grid;
  if (!input.initial.empty()) {
    options.problem = input.initial;
  } else if (!input.pairs.empty()) {
    options.problem = "pair";
  }
  std::istringstream names(options.problem);
  for (std::string name; std::getline(names, name, ',');) {
    switch (read_name("--initial", name, {"taylor_green", "pair", "wave", "turbulence", "rest"})) {
      case 0:
        initial.taylor_green = true;
        break;
      case 1:
        if (input.pairs.empty()) {
          initial.pairs.push_back({grid.lengths[1] / 2, grid.lengths[2] / 2, grid.lengths[1] / 4,
                                   2 * pi, grid.lengths[1] / 20});
        }
        break;
      case 2:
        initial.wave_amplitude = 1e-4;
        break;
      case 3:
        initial.turbulence = 0.1;
        break;
      default:
        break;
    }
  }
  for (const std::string& pair : input.pairs) initial.pairs.push_back(read_pair(pair));
  if (!input.wave.empty()) {
    const auto numbers = read_list<double>("--wave", input.wave, ',', 0, "AMPLITUDE,M");
    if (numbers.size() != 2) throw refusal("--wave", input.wave, "AMPLITUDE,M, such as 1e-4,3");
    initial.wave_amplitude = numbers[0];
    initial.wave_number = static_cast<int>(numbers[1]);
  }
  if (!input.turbulence.empty()) {
    const auto numbers =
        read_list<double>("--turbulence", input.turbulence, ',', 0, "RMS,PEAK,SEED");
    initial.turbulence = numbers[0];
    if (numbers.size() > 1) initial.turbulence_peak = numbers[1];
    if (numbers.size() > 2) initial.seed = static_cast<std::uint64_t>(numbers[2]);
  }
  if (!input.current.empty()) {
    for (const auto& row : read_profile("--current", input.current, grid, 2)) {
      initial.current.push_back({row[0], row[1]});
    }
  }
}

void read_physics(const Input& input, Options& options) {
  FlowSettings& flow = options.flow;
  Physics& physics = flow.physics;
  physics.viscosity = read_number<double>("--viscosity", input.viscosity, 0);
  physics.diffusivity = input.diffusivity.empty()
                            ? physics.viscosity
                            : read_number<double>("--diffusivity", input.diffusivity, 0);
  physics.stratification.clear();
  for (const auto& row : read_profile("--stratification", input.stratification, flow.grid, 1)) {
    if (!(row[0] >= 0)) throw refusal("--stratification", input.stratification, "N^2 >= 0");
    physics.stratification.push_back(row[0]);
  }
  flow.subgrid =
      static_cast<Subgrid>(read_name("--subgrid", input.subgrid, {"none", "smagorinsky", "sigma"}));
  flow.prandtl = read_number<double>("--prandtl", input.prandtl, 1e-6);
}

void read_time(const Input& input, Options& options) {
  FlowSettings& flow = options.flow;
  if (!input.until.empty()) {
    options.until = read_number<double>("--until", input.until, 0);
    options.steps = std::numeric_limits<std::int64_t>::max();
  }
  if (!input.steps.empty()) options.steps = read_number<int>("--steps", input.steps, 0);
  if (!input.dt.empty()) {
    flow.steps = read_list<double>("--dt", input.dt, ',', 1e-300, "time steps above 0");
  }
  flow.courant = read_number<double>("--courant", input.courant, 1e-6);
  flow.largest_step = read_number<double>("--largest-dt", input.largest_dt, 1e-300);
  flow.smooth_every = read_number<int>("--smooth-every", input.smooth_every, 0);
  flow.filter_strength = read_number<double>("--filter", input.filter, 0);
  if (flow.filter_strength >= 0.5) throw refusal("--filter", input.filter, "0 to below 0.5");
  const bool open = flow.grid.no_slip;
  const std::string poisson = !input.poisson.empty() ? input.poisson : open ? "banded" : "cosine";
  flow.poisson = static_cast<PoissonMethod>(read_name("--poisson", poisson, {"cosine", "banded"}));
  const bool banded = flow.poisson == PoissonMethod::banded;
  if (banded ? flow.grid.periodic : open) {
    throw Error("--poisson " + poisson, "not for --boundary " + input.boundary,
                "use --poisson " + std::string(banded ? "cosine" : "banded"));
  }
  options.every = read_number<int>("--every", input.every, 0);
  options.checkpoint_every = read_number<int>("--checkpoint-every", input.checkpoint_every, 0);
  if (options.checkpoint_every > 0 && options.checkpoint.empty()) {
    throw Error("--checkpoint-every", "no file given", "add --checkpoint FILE");
  }
}

/// A slice from "FIELD,AXIS,N".
void read_slice(const Input& input, Options& options) {
  if (input.slice.empty()) return;
  std::istringstream parts(input.slice);
  std::string field, axis, number;
  std::getline(parts, field, ',');
  std::getline(parts, axis, ',');
  std::getline(parts, number);
  Slice slice;
  slice.field = read_name("--slice", field, {"u", "v", "w", "b", "vorticity"});
  slice.axis = read_name("--slice", axis, {"x", "y", "z"});
  slice.number = plait::read_number<int>(
      "--slice", number, 0, options.flow.grid.points[static_cast<std::size_t>(slice.axis)] - 1);
  if (options.picture.empty()) {
    throw Error("--slice " + input.slice, "no picture to be written", "add --picture FILE");
  }
  options.slice = slice;
}

void read_execution(const Input& input, Options& options) {
  options.threads = read_threads(input.threads);
  options.chunks = read_number<int>("--chunks", input.chunks, 1);
  if (!input.pencils.empty()) {
    const auto numbers = read_list<int>("--pencils", input.pencils, 'x', 1, "PYxPZ");
    if (numbers.size() != 2) throw refusal("--pencils", input.pencils, "PYxPZ, such as 2x4");
    options.pencils = {numbers[0], numbers[1]};
  }
  options.paper_layout = read_name("--layout", input.layout, {"modes", "paper"}) == 1;
  options.fftw = read_name("--fft", input.fft, {"own", "fftw"}) == 1;
  if (options.fftw && (options.check || options.check_all)) {
    throw Error("--fft fftw", "does not keep bits, which --check and --check-all compare",
                "use --fft own");
  }
  if (options.paper_layout) {
    const bool files =
        !(options.restart + options.checkpoint + options.output + options.picture).empty();
    if (options.flow.steps.empty() || files || options.pencils[0] != 0 || options.bound ||
        options.flow.subgrid != Subgrid::none || options.flow.smooth_every != 0 ||
        options.flow.grid.no_slip) {
      throw Error(
          "--layout paper", "only for comparison",
          "give --dt, and leave out smoothing, subgrid models, --boundary no_slip, pencils, "
          "--bound and files");
    }
  }
  std::istringstream sizes(input.hybrid);
  for (std::string size; std::getline(sizes, size, ',');) {
    const auto numbers = read_list<int>("--hybrid", size, 'x', 1, "RANKSxTHREADS,...");
    if (numbers.size() != 2) throw refusal("--hybrid", size, "RANKSxTHREADS, such as 4x1,2x2");
    options.hybrid.push_back({numbers[0], numbers[1]});
  }
  if (options.bound && options.pencils[0] != 0) {
    throw Error("--bound", "not for --pencils", "leave out one of them");
  }
  const bool series = options.scaling || options.check_all || !options.hybrid.empty();
  if (series &&
      !(options.restart + options.checkpoint + options.output + options.picture).empty()) {
    throw Error("--restart, --checkpoint, --output, --picture",
                "not available for a series of runs",
                "leave out --scaling, --hybrid and --check-all");
  }
}

/// The two cases of Jost and Robins (2010), whose physics the paper does not state: a pair in weak
/// stratification and turbulence.
void use_case(Input& input) {
  if (input.named_case.empty()) return;
  const bool first = read_name("--case", input.named_case, {"paper1", "paper2"}) == 0;
  const auto unless_given = [](std::string& text, const char* value) {
    if (text.empty()) text = value;
  };
  unless_given(input.size, first ? "256x512x256" : "1024x512x256");
  unless_given(input.length, first ? "8x16x8" : "32x16x8");
  unless_given(input.initial, "pair,turbulence");
  unless_given(input.turbulence, "0.02,6,1");
  unless_given(input.viscosity, "3.14e-4");
  unless_given(input.stratification, "0.1");
  if (input.pairs.empty()) input.pairs = {"8,4,1,6.283185307179586,0.2"};
  if (input.smooth_every == "0") input.smooth_every = "20";
}

CommandSyntax syntax_of(Input& in, Options& options) {
  return {
      "plait-boussinesq",
      "Solve the Boussinesq equations for trailing vortices, turbulence and internal waves, in any "
      "parallel model. All models give the same bits.",
      {{"Grid",
        {{"--case", "NAME", &in.named_case,
          "paper1 (256x512x256) or paper2 (1024x512x256): the cases of Jost and Robins (2010)"},
         {"--size", "NXxNYxNZ", &in.size, "Points along x, y, z (default: 64x64x65)"},
         {"--length", "LXxLYxLZ", &in.length,
          "Lengths of the box (default: 2 pi, 2 pi, and pi, or 2 pi if periodic)"},
         {"--boundary", "KIND", &in.boundary,
          "Along z: lids (free slip), no_slip or periodic (default: lids)"}}},
       {"Equations",
        {{"--viscosity", "NU", &in.viscosity, "Kinematic viscosity (default: 1/1600)"},
         {"--diffusivity", "KAPPA", &in.diffusivity, "Of the buoyancy (default: NU)"},
         {"--stratification", "N2", &in.stratification,
          "N^2: a number, or a file with lines \"z N2\" (default: 0)"},
         {"--current", "U", &in.current,
          "Current along x: a number, or a file with lines \"z U V\" (default: none)"},
         {"--subgrid", "MODEL", &in.subgrid, "none, smagorinsky or sigma (default: none)"},
         {"--prandtl", "PR", &in.prandtl, "Of the eddy viscosity (default: 1)"}}},
       {"Initial state",
        {{"--initial", "NAMES", &in.initial,
          "taylor_green, pair, wave, turbulence or rest; several are added, as in "
          "pair,turbulence (default: taylor_green)"},
         {"--pair", "Y,Z,B0,G,CORE[,A,N]", &in.pairs,
          "A pair of vortices along x: its middle, distance, circulation and radius; A is the "
          "amplitude of N sine waves along x. May be repeated"},
         {"--wave", "A,M", &in.wave, "Internal wave: amplitude of w, half waves along z"},
         {"--turbulence", "RMS,PEAK,SEED", &in.turbulence,
          "Velocity, wave number of the peak (default: 8) and seed (default: 1)"},
         {"--restart", "FILE", &options.restart,
          "Continue from a checkpoint; give the options of the run that wrote it"}}},
       {"Time",
        {{"--steps", "N", &in.steps, "Stop after N steps (default: 100; no limit with --until)"},
         {"--until", "T", &in.until, "Stop at this time"},
         {"--dt", "DT[,...]", &in.dt, "Fixed time steps, in turn (default: as large as is stable)"},
         {"--courant", "C", &in.courant, "Largest k |u| dt, of the shortest waves (default: 0.5)"},
         {"--largest-dt", "DT", &in.largest_dt, "Largest time step without --dt (default: 0.1)"},
         {"--smooth-every", "N", &in.smooth_every, "Steps between two smoothings (default: never)"},
         {"--filter", "A", &in.filter,
          "Strength of the smoothing along z: 0 is strongest, below 0.5 (default: 0.49)"},
         {"--smooth-horizontally", nullptr, &options.flow.smooth_horizontally,
          "Smooth along x and y, too"},
         {"--poisson", "METHOD", &in.poisson,
          "cosine or banded: how Poisson's equation is solved along z (default: cosine; banded "
          "without slip)"}}},
       {"Execution",
        {{"--threads", "N", &in.threads,
          "OpenMP threads per rank (default: OMP_NUM_THREADS, else 1)"},
         {"--schedule", "NAME", &options.schedule,
          "blocking, nonblocking, polled, comm_thread or automatic (default: PLAIT_SCHEDULE, else "
          "automatic)"},
         {"--transport", "NAME", &options.transport,
          "automatic, alltoallv, alltoallw, point_to_point or shared_memory (default: automatic)"},
         {"--chunks", "N", &in.chunks, "Parts that travel one after the other (default: 4)"},
         {"--pencils", "PYxPZ", &in.pencils,
          "Ranks along y and z (default: slabs of z, at most as many ranks as planes)"},
         {"--layout", "NAME", &in.layout,
          "modes: kept modes travel; paper: for comparison, whole fields are swapped between three "
          "slab layouts, as in PIR3D (default: modes)"},
         {"--fft", "NAME", &in.fft,
          "own, or fftw: with FFTW, the bits of results depend on ranks and threads (default: "
          "own)"}}},
       {"Results",
        {{"--every", "N", &in.every, "Steps between two lines of measures (default: 10)"},
         {"--spectrum", nullptr, &options.spectrum,
          "Print the spectrum of the last state; --json has one for each line of measures"},
         {"--vortices", nullptr, &options.vortices,
          "Print the position and circulation of the vortices along x"},
         {"--checkpoint", "FILE", &options.checkpoint, "Write a checkpoint for --restart"},
         {"--checkpoint-every", "N", &in.checkpoint_every,
          "Steps between two checkpoints (default: after the last step only)"},
         {"--output", "FILE", &options.output,
          "Write u, v, w, b at the points: HDF5 with an XDMF file for ParaView if FILE ends in "
          ".h5, "
          "else raw doubles"},
         {"--picture", "FILE", &options.picture,
          "Write the mean vorticity along x as a PPM picture of y and z"},
         {"--slice", "FIELD,AXIS,N", &in.slice,
          "What --picture shows instead: u, v, w, b or vorticity (along x) on plane N across x, y "
          "or z"},
         {"--json", "FILE", &options.json, "Write the results as JSON"},
         {"--bound", nullptr, &options.bound,
          "Measure the parts of a step alone: transforms, transposes, and 60 passes through "
          "memory"},
         {"--check", nullptr, &options.check,
          "Compare with a run on one rank, bit for bit; exit with 1 if they differ"},
         {"--check-all", nullptr, &options.check_all,
          "Check every schedule and transport, slabs and pencils, on 1 to all ranks with 1 to "
          "--threads threads"},
         {"--scaling", nullptr, &options.scaling,
          "Print a table of runs on 1, 2, 4 and so on up to all ranks"},
         {"--hybrid", "RxT,...", &in.hybrid,
          "Print a table of runs on R ranks with T threads each"},
         {"--progress", nullptr, &options.progress,
          "Print progress lines to stderr (default: if stderr is a terminal)"}}}},
      {}};
}

void read_values(Input& input, Options& options) {
  use_case(input);
  if (input.viscosity.empty()) input.viscosity = "6.25e-4";
  if (input.stratification.empty()) input.stratification = "0";
  read_grid(input, options.flow.grid);
  read_physics(input, options);
  read_initial(input, options);
  read_time(input, options);
  read_execution(input, options);
  read_slice(input, options);
}

}  // namespace

CommandLine<Options> read_command_line(int argc, char** argv) {
  CommandLine<Options> command;
  Input input;
  parse_command_line(syntax_of(input, command.options), argc, argv, command,
                     [&] { read_values(input, command.options); });
  return command;
}

}  // namespace plait::boussinesq
