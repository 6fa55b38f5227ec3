// SPDX-License-Identifier: BSD-3-Clause
// Finds plans for a run: mapping, placement, threads, progress.
#include "advise/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "advise/all_to_all.hpp"
#include "advise/known_programs.hpp"
#include "advise/mapping_input.hpp"
#include "advise/mapping_plan.hpp"
#include "advise/tuned_settings.hpp"
#include "launcher/plan_placement.hpp"
#include "machine/figure_checks.hpp"
#include "machine/measured_text.hpp"
#include "machine/open_machine.hpp"
#include "mapping/search/map_within_classes.hpp"
#include "model/advice.hpp"
#include "model/jacobi_inputs.hpp"
#include "placement/placement.hpp"
#include "plait/error.hpp"
#include "replay/replay.hpp"
#include "report/findings.hpp"
#include "report/finish.hpp"
#include "report/mapping.hpp"
#include "report/run_file.hpp"
#include "report/serial_part.hpp"
#include "report/verdict.hpp"
#include "run/quarantine.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/ratio.hpp"
#include "text/units.hpp"
#include "trace/trace.hpp"

namespace plait::advise {
namespace {

namespace fs = std::filesystem;

/// Of the run's time, from which other programs are mentioned.
constexpr double kDisturbed = 0.02;
/// Of the run's time, from which a loss is named.
constexpr double kWorthNaming = 0.05;
/// Of a core: less use by other programs leaves it to the run.
constexpr double kSlack = 0.25;

/// The machine file of a run on emulated nodes shows all cores of the machine.
constexpr std::string_view kEmulated =
    "the nodes are emulated; plait cluster up --cores-per-node gives them cores";

launcher::PredictedTime time_of(const model::Predicted& of) {
  return {of.s, of.low_s, of.high_s};
}

model::Predicted predicted_of(const replay::ReplayInterval& of) {
  return {of.middle.time_s, of.low_s, of.high_s};
}

/// Tries each kind of plan on a run.
class Adviser {
public:
  explicit Adviser(const fs::path& run) : run_(run) {
    advice_.run = run.string();
    advice_.profile = report::open_run(run);
    const report::RunFile run_file = report::read_run_file(run);
    advice_.outer = run_file.started_outer;
    emulated_ = run_file.environment.contains("PLAIT_CLUSTER");
    const std::string& file = profile().context.machine_file;
    if (!file.empty()) machine_ = machine::open_machine((run / file).string());
    if (machine_ && machine_->measured && model::knows_jacobi_speed(*machine_->measured)) {
      speed_ = model::jacobi_speed(*machine_->measured, machine_->host);
    }
    read_trace();
  }

  Advice advise() {
    if (profile().world_size < 1 || profile().wall_s <= 0) {
      advice_.nothing.emplace_back("no rank of an MPI program was recorded until its end");
      return std::move(advice_);
    }
    try_mapping();
    try_cores();
    try_threads();
    try_progress();
    note_doubts();
    look_up_tuned();
    advice_.program = advice_for_program(
        profile().command, static_cast<int>(profile().context.hosts.size()), ranks_of_a_node());
    if (machine_) {
      for (const std::string& sentence :
           all_to_all_advice(profile(), *machine_, ranks_of_a_node())) {
        advice_.program.push_back(sentence);
      }
    }
    if (advice_.plans.empty()) advice_.loss = loss();
    std::stable_sort(advice_.plans.begin(), advice_.plans.end(), [](const auto& a, const auto& b) {
      return a.after->seconds < b.after->seconds;
    });
    return std::move(advice_);
  }

private:
  [[nodiscard]] const report::Profile& profile() const { return advice_.profile; }
  [[nodiscard]] double wall_s() const { return profile().wall_s; }

  void nothing(const std::string& sentence) { advice_.nothing.push_back(sentence); }

  /// All predictions use the measurements of the machine.
  void note_doubts() {
    if (!machine_ || !machine_->measured) return;
    for (const std::string& note : machine::reliability_notes(*machine_->measured)) {
      nothing("machine file: " + note);
    }
  }

  /// Looks for settings that are stored for this machine, MPI library and number of ranks.
  void look_up_tuned() {
    const report::LauncherContext& launcher = profile().context.launcher;
    const auto nodes = static_cast<int>(profile().context.hosts.size());
    const std::vector<TunedSettings> all = stored_settings();
    if (all.empty() || launcher.kind.empty() || nodes < 1) return;
    const TunedFor job =
        job_on({launcher::kind_of(launcher.kind, launcher.version), launcher.version, {}, {}},
               nodes, profile().world_size);
    const std::optional<TunedSettings> found = settings_for(job, all);
    if (!found || !found->plan) return;
    advice_.tuned = fmt::format("plait tune --platform found for {}: {}. plait run --tuned sets it",
                                job_text(job), found->plan->name);
  }

  void read_trace() {
    try {
      trace_ = trace::read_trace(run_);
      trace::cut_gaps(*trace_);
      if (!trace_->damage.empty()) nothing("the trace is damaged: " + trace_->damage);
      if (trace_->left_out > 0) {
        nothing(
            fmt::format("only {} were traced, so there is no replay", trace::traced_text(*trace_)));
      }
      if (trace_->ranks.empty() || !trace_->damage.empty() || trace_->left_out > 0) trace_.reset();
    } catch (const Error&) {
      return;  // most runs have none
    }
    if (!trace_) return;
    recorded_s_ = trace::recorded_seconds(*trace_);
  }

  /// Lists a plan, unless its gain is uncertain or its settings are in quarantine.
  void offer(launcher::Plan plan, const model::Predicted& predicted, const std::string& what) {
    const double lost = lost_to_others();
    const model::Predicted after = model::beside_other_programs(predicted, wall_s(), lost);
    if (!model::is_defended(wall_s(), after)) {
      advice_.undecided = advice_.undecided || model::is_defended(wall_s(), predicted);
      nothing(fmt::format("{}: {} instead of {}, so a gain is not certain{}", what,
                          format_range(after.low_s, after.high_s, format_seconds),
                          format_seconds(wall_s()),
                          lost < kDisturbed ? ""
                                            : fmt::format("; other programs took part in the run, "
                                                          "which waited {} of its time for them",
                                                          format_percent(lost))));
      return;
    }
    launcher::Launcher launcher;
    launcher.kind =
        launcher::kind_of(profile().context.launcher.kind, profile().context.launcher.version);
    launcher.version = profile().context.launcher.version;
    const auto found = run::quarantined_in(run::quarantined(), launcher, run::settings_of(plan));
    if (!found.empty()) {
      nothing(what + ": " + run::quarantine_sentence(found.front()) + " and is in quarantine");
      return;
    }
    plan.source = advice_.run;
    plan.before = launcher::PredictedTime{wall_s(), wall_s(), wall_s()};
    plan.after = time_of(after);
    plan.predicted_of = "the whole run";
    advice_.plans.push_back(std::move(plan));
  }

  /// The share of the run's time in which it waited for other programs.
  [[nodiscard]] double lost_to_others() const {
    const report::Contention& of = profile().contention;
    const double all = of.own_ranks_s + of.other_programs_s + of.throttled_s;
    return all > 0 ? std::min(1.0, profile().cpu_wait_fraction) * of.other_programs_s / all : 0;
  }

  /// The CPUs of a node that other programs used, rounded up.
  [[nodiscard]] int cores_of_others() const {
    const auto nodes = std::max<std::size_t>(1, profile().context.hosts.size());
    return static_cast<int>(
        std::ceil(profile().contention.other_cpus / static_cast<double>(nodes) - kSlack));
  }

  /// The finding of the report to look at if no plan helps: shared cores first, as in its verdict,
  /// otherwise the most expensive one.
  [[nodiscard]] std::string loss() const {
    const report::Finding* largest = nullptr;
    for (const report::Finding& finding : profile().findings) {
      if (finding.severity == "high" && report::is_sharing_finding(finding)) {
        return fmt::format("Fix this first: {}; {}", finding.what, finding.fix);
      }
    }
    for (const report::Finding& finding : profile().findings) {
      if (finding.cost_share.value_or(0) < kWorthNaming) continue;
      if (largest == nullptr || *finding.cost_share > *largest->cost_share) largest = &finding;
    }
    if (largest == nullptr) return "";
    return fmt::format("The {}: {} ({}); {}",
                       report::is_in_the_program(*largest) ? "loss is in the program"
                                                           : "largest loss is elsewhere",
                       largest->what, largest->cost, largest->fix);
  }

  // --- mapping ---------------------------------------------------------------------------------

  void try_mapping() {
    MapInput input;
    try {
      input = run_input(advice_.run);
    } catch (const Error& error) {
      return nothing(std::string("mapping: ") + error.what());
    }
    if (profile().world_size < 3)
      return nothing("mapping: with fewer than 3 ranks there is only one mapping");
    report::MappingReport mapping;
    mapping.input = input.text;
    mapping.nodes = input.nodes->text;
    mapping.costs = input.nodes->costs;
    mapping.request.graph = std::move(input.graph);
    mapping.request.slots = input.nodes->slots;
    mapping.request.costs = mapping.costs.middle;
    mapping.result = mapping::map_within_classes(mapping.request, input.class_of);
    mapping.gain = gain_now(mapping);
    if (mapping.result.nothing_to_gain) {
      return nothing("mapping: " + report::mapping_verdict(mapping));
    }
    launcher::Plan plan = plan_of(mapping, *input.nodes);
    auto after = replayed_mapping(mapping);
    plan.reason += fmt::format(
        " The run's time is predicted {}{}.",
        after ? "from replays of its trace" : "from the time that its ranks spent in messages",
        mapping.costs.measured ? ""
                               : "; the network was not measured (plait measure --nodes), so the "
                                 "interval ranges from no gain to messages that take no time");
    if (!after) after = faster_messages(mapping);
    offer(std::move(plan), *after, "mapping");
  }

  static mapping::Gain gain_now(const report::MappingReport& mapping) {
    std::vector<int> now(static_cast<std::size_t>(mapping.request.graph.size()));
    std::iota(now.begin(), now.end(), 0);
    return mapping::gain_of(mapping.request, now, mapping.result.slot_of, mapping.costs);
  }

  /// Empty without a trace, or where the machine's network was not measured.
  std::optional<model::Predicted> replayed_mapping(const report::MappingReport& mapping) {
    if (!trace_ || !machine_ || !machine_->measured) return std::nullopt;
    std::vector<std::uint32_t> nodes;
    for (const int slot : mapping.result.slot_of) {
      nodes.push_back(static_cast<std::uint32_t>(mapping.request.slots.node_of(slot)));
    }
    return replayed(nodes, std::nullopt);
  }

  [[nodiscard]] model::Predicted faster_messages(const report::MappingReport& mapping) const {
    const auto [least, most] = message_times();
    if (!mapping.costs.measured) {
      return model::with_faster_messages(wall_s(), least, most, 1,
                                         std::numeric_limits<double>::infinity());
    }
    return model::with_faster_messages(wall_s(), least, most, std::max(1.0, mapping.gain.ratio.low),
                                       std::max(1.0, mapping.gain.ratio.high));
  }

  /// Time in MPI outside collectives, of the rank with least and with most.
  [[nodiscard]] std::pair<double, double> message_times() const {
    double collective = 0;
    for (const report::PeerClassRow& row : profile().peer_classes) {
      if (row.peer_class == "collective") collective += row.time_s;
    }
    collective /= std::max(1, profile().ranks_recorded);
    double least = wall_s(), most = 0;
    for (const report::RankRow& rank : profile().ranks) {
      const double messages = std::max(0.0, rank.mpi_s - collective);
      least = std::min(least, messages);
      most = std::max(most, messages);
    }
    return {std::min(least, most), most};
  }

  /// The run's time by replays on the machine's network, with other nodes or other progress.
  std::optional<model::Predicted> replayed(const std::vector<std::uint32_t>& nodes,
                                           std::optional<replay::Progress> progress) {
    try {
      replay::Network network = replay::machine_network(*machine_->measured, machine_->host);
      replay::TraceProgramOptions options;
      options.other_threads = true;
      const auto now = replay::program_of(*trace_, options);
      const auto before = replay::replay_with_interval(*now, network);
      if (progress) network.progress = *progress;
      options.nodes = nodes;
      const auto then = replay::program_of(*trace_, options);
      const auto after = replay::replay_with_interval(*then, network);
      if (!before.middle.stuck.empty() || !after.middle.stuck.empty()) return std::nullopt;
      return model::by_replays(wall_s(), recorded_s_, predicted_of(before), predicted_of(after));
    } catch (const Error&) {
      return std::nullopt;  // a path that was not measured
    }
  }

  // --- cores -----------------------------------------------------------------------------------

  [[nodiscard]] int ranks_of_a_node() const {
    int most = 1;
    for (const report::HostRanks& host : profile().context.hosts) {
      most = std::max(most, host.ranks);
    }
    return most;
  }

  [[nodiscard]] int threads_of_a_rank() const {
    int most = 1;
    for (const report::RankRow& rank : profile().ranks) most = std::max(most, rank.threads);
    return most;
  }

  /// Why no plan places the ranks, if they differ in threads; empty: they do not.
  [[nodiscard]] std::string uneven_threads() const {
    const auto [least, most] = std::ranges::minmax(profile().ranks, {}, &report::RankRow::threads);
    if (least.threads == most.threads) return "";
    return fmt::format(
        "ranks have {} to {} threads; plait place \"4 ranks x 8 threads : 2 ranks x 1 thread\" "
        "places each part of a job",
        least.threads, most.threads);
  }

  [[nodiscard]] int cores_of_a_node() const {
    return machine_ ? static_cast<int>(machine_->topology.allowed_cores().size()) : 0;
  }

  /// Each rank on its own cores.
  [[nodiscard]] launcher::Plan bound_plan(int threads) const {
    placement::Intent intent;
    const int nodes = static_cast<int>(profile().context.hosts.size());
    intent.nodes = nodes;
    intent.ranks = profile().world_size;
    intent.threads = threads;
    const placement::Placement placement =
        placement::place_ranks(intent, machine_->topology,
                               fmt::format("{} ranks x {} threads", profile().world_size, threads));
    std::vector<std::string> hosts;
    for (const report::HostRanks& host : profile().context.hosts) hosts.push_back(host.name);
    if (hosts.size() == 1) hosts.front().clear();
    return launcher::plan_of(placement, intent, machine_->topology, hosts);
  }

  /// How many cores of a node the threads of the run shared, by the finding on its placement.
  [[nodiscard]] int cores_shared(const std::string& finding, int fitting) const {
    if (finding == "ranks_overlap") return 1;
    if (finding == "threads_on_one_core") return ranks_of_a_node();
    return std::min(cores_of_a_node(), ranks_of_a_node() * fitting);
  }

  /// @param fitting  threads of a rank that each would have a core
  [[nodiscard]] model::SharedRun shared_run(const std::string& finding, int fitting) const {
    model::SharedRun run{
        wall_s(), wall_s(), 0, 0, cores_shared(finding, fitting), ranks_of_a_node() * fitting};
    for (const report::RankRow& row : profile().ranks) {
      const double work = (row.compute_s - row.compute_wait_s) * row.threads / fitting;
      run.outside_s = std::min(run.outside_s, std::max(0.0, wall_s() - row.wall_s));
      run.work_s = std::max(run.work_s, work);
      run.work_and_mpi_s = std::max(run.work_and_mpi_s, work + row.mpi_s - row.mpi_wait_s);
    }
    return run;
  }

  /// Of a rank's threads together.
  [[nodiscard]] double longest_cpu_wait() const {
    double longest = 0;
    for (const report::RankRow& row : profile().ranks) longest = std::max(longest, row.cpu_wait_s);
    return longest;
  }

  void try_cores() {
    const auto finding =
        std::find_if(profile().findings.begin(), profile().findings.end(), [](const auto& one) {
          return one.id == "threads_on_one_core" || one.id == "ranks_overlap" ||
                 one.id == "oversubscribed" || one.id == "oversubscribed_spin" ||
                 one.id == "unbound_threads_float";
        });
    if (finding == profile().findings.end()) {
      return nothing("placement: no rank or thread shares a core without need");
    }
    if (emulated_) {
      return nothing(fmt::format("placement: {}", kEmulated));
    }
    if (const std::string uneven = uneven_threads(); !uneven.empty()) {
      return nothing("placement: " + uneven);
    }
    const int ranks = ranks_of_a_node(), threads = threads_of_a_rank(), cores = cores_of_a_node();
    if (cores < 1) return nothing("placement: the run has no machine file");
    if (ranks > cores) {
      return nothing(fmt::format("placement: {} ranks do not fit on {} cores; {}", ranks, cores,
                                 finding->fix));
    }
    if (finding->id == "unbound_threads_float" && ranks * threads <= cores) {
      return nothing(
          "placement: ranks are not bound, but each thread has a core; the time waiting for a CPU "
          "was due to other programs");
    }
    const int fitting = std::min(threads, cores / ranks);
    const model::Predicted after =
        model::without_sharing(shared_run(finding->id, fitting), speed_ ? &*speed_ : nullptr);
    try {
      launcher::Plan plan = bound_plan(fitting);
      plan.name = fmt::format("{} x {}, each on its own cores",
                              counted(profile().world_size, "rank"), counted(fitting, "thread"));
      plan.reason = fmt::format("{}: {}. Threads waited {} for a CPU.", finding->what,
                                finding->evidence, format_seconds(longest_cpu_wait()));
      offer(std::move(plan), after, "placement");
    } catch (const Error& error) {
      nothing(std::string("placement: ") + error.what());
    }
  }

  // --- threads ---------------------------------------------------------------------------------

  void try_threads() {
    const int ranks = ranks_of_a_node(), threads = threads_of_a_rank(), cores = cores_of_a_node();
    if (profile().openmp.regions.empty()) {
      return nothing("threads: no OpenMP parallel region was measured");
    }
    if (const auto serial = report::serial_loss(profile())) nothing("threads: " + serial->text());
    if (emulated_) return nothing(fmt::format("threads: {}", kEmulated));
    if (const std::string uneven = uneven_threads(); !uneven.empty()) {
      return nothing("threads: " + uneven);
    }
    const int others = cores_of_others();
    const int most = std::max(threads, (cores - others) / std::max(1, ranks));
    if (most <= threads && others > 0 && cores / std::max(1, ranks) > threads) {
      return nothing(fmt::format("threads: other programs used {} of {} during the run",
                                 counted(others, "core"), counted(cores, "core")));
    }
    if (most <= threads) {
      return nothing(fmt::format(
          "threads: {} x {} {} {} of a node", counted(ranks, "rank"), counted(threads, "thread"),
          ranks * threads > cores ? "share the" : "already use all", counted(cores, "core")));
    }
    if (!speed_)
      return nothing("threads: the speed P(k) of this machine was not measured; run plait measure");
    double regions_s = 0;
    for (const report::OmpRegionRow& region : profile().openmp.regions) {
      regions_s += region.time_s / std::max(1, profile().ranks_recorded);
    }
    const model::Predicted after =
        model::with_threads(wall_s(), std::min(regions_s, wall_s()), ranks, threads, most, *speed_);
    try {
      launcher::Plan plan = bound_plan(most);
      plan.threads = most;
      plan.name = fmt::format("{} threads per rank instead of {}", most, threads);
      plan.reason = fmt::format(
          "{} of {} cores per node are idle; parallel regions take {} of {}. At best the regions "
          "become {} times as fast, at worst they speed up like the memory-bound kernel.",
          cores - others - ranks * threads, cores, format_seconds(regions_s),
          format_seconds(wall_s()), format_ratio(static_cast<double>(most) / threads));
      offer(std::move(plan), after, "threads");
    } catch (const Error& error) {
      nothing(std::string("threads: ") + error.what());
    }
  }

  // --- progress --------------------------------------------------------------------------------

  /// The setting with which long messages move while a program computes, if they do not by default.
  [[nodiscard]] std::optional<std::string> progress_setting() const {
    std::optional<std::string> setting;
    bool by_default = true;
    for (const machine::OverlapVerdict& verdict : machine_->measured->overlap_verdicts) {
      if (verdict.protocol != "rendezvous" || verdict.undecided) continue;
      if (verdict.setting.empty()) by_default = by_default && verdict.progresses;
      if (verdict.progresses && verdict.setting.find('=') != std::string::npos &&
          verdict.setting.find(' ') == std::string::npos) {
        setting = verdict.setting;
      }
    }
    return by_default ? std::nullopt : setting;
  }

  void try_progress() {
    if (!machine_ || !machine_->measured || machine_->measured->overlap_verdicts.empty()) {
      return nothing(
          "progress: it was not measured whether this MPI moves messages while a program "
          "computes; run plait measure");
    }
    const auto setting = progress_setting();
    const bool undecided = std::ranges::any_of(
        machine_->measured->overlap_verdicts,
        [](const machine::OverlapVerdict& verdict) { return verdict.undecided; });
    if (!setting && undecided) {
      return nothing("progress: " + machine::overlap_headline(*machine_->measured) +
                     "; run plait measure on an idle machine");
    }
    if (!setting)
      return nothing(
          "progress: no setting makes this MPI move more messages while a program computes");
    if (!trace_)
      return nothing(
          "progress: the gain can only be predicted from a trace; run plait run --trace");
    const int spare =
        cores_of_a_node() - cores_of_others() - ranks_of_a_node() * threads_of_a_rank();
    if (spare < ranks_of_a_node()) {
      return nothing("progress: " + *setting + " needs one more core per rank, and none is free");
    }
    const auto after = replayed({}, replay::Progress::thread);
    if (!after) return nothing("progress: the trace cannot be replayed on this machine's network");
    launcher::Plan plan;
    const std::size_t equals = setting->find('=');
    plan.environment[setting->substr(0, equals)] = setting->substr(equals + 1);
    plan.only_for =
        launcher::kind_of(profile().context.launcher.kind, profile().context.launcher.version);
    plan.name = "progress with " + *setting;
    plan.reason =
        "This MPI moves long messages only inside its calls; with this setting it also moved them "
        "while the probe computed. Predicted from replays of the trace.";
    offer(std::move(plan), *after, "progress");
  }

  fs::path run_;
  Advice advice_;
  bool emulated_ = false;  ///< on nodes of plait cluster
  std::optional<machine::MachineFile> machine_;
  std::optional<model::SpeedTable> speed_;
  std::optional<trace::Trace> trace_;
  double recorded_s_ = 0;
};

}  // namespace

Advice advise(const fs::path& run) {
  return Adviser(run).advise();
}

}  // namespace plait::advise
