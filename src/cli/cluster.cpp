// SPDX-License-Identifier: BSD-3-Clause
// plait cluster: emulates several nodes on one machine, and runs programs on them.
#include "cluster/cluster.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "base/json.hpp"
#include "base/quantity.hpp"
#include "cli/commands.hpp"
#include "cli/json_output.hpp"
#include "cli/run_options.hpp"
#include "cluster/launcher_command.hpp"
#include "cluster/rights.hpp"
#include "cluster/show.hpp"
#include "cluster/state.hpp"
#include "plait/error.hpp"
#include "run/run.hpp"
#include "run/started_as.hpp"
#include "run/supervise.hpp"

namespace plait::cli {
namespace {

struct ClusterOptions {
  std::string name = "default";
  int nodes = 0;
  std::string rate = "1gbit";
  std::string latency;
  std::string burst;
  int cores_per_node = 0;
  double time_limit_s = 0;
  JsonOutput json;
  bool all = false;
  std::vector<std::string> program;
};

cluster::ClusterRequest request_of(const ClusterOptions& options) {
  cluster::ClusterRequest request;
  request.name = options.name;
  request.nodes = options.nodes;
  request.bytes_per_second = parse_bytes_per_second(options.rate);
  if (!options.latency.empty()) request.latency_s = parse_seconds(options.latency);
  if (!options.burst.empty()) request.burst_bytes = parse_bytes(options.burst);
  request.cores_per_node = options.cores_per_node;
  return request;
}

cluster::Cluster cluster_named(const std::string& name) {
  if (auto found = cluster::find(name)) return *found;
  throw Error("cluster " + name, "not up",
              name == "default" ? "start it: plait cluster up --nodes 4 --rate 1gbit"
                                : fmt::format("start it: plait cluster up --name {}", name));
}

void up(const ClusterOptions& options) {
  cluster::become_caller(true);
  const cluster::Cluster started = cluster::up(request_of(options));
  fmt::print("{}", cluster::show(started));
  const std::string name = options.name == "default" ? "" : " --name " + options.name;
  fmt::print("\nNext: plait cluster run{} -- mpiexec -n {} ./app\n", name, options.nodes);
}

void status(const ClusterOptions& options) {
  cluster::become_caller(false);
  const std::vector<cluster::Cluster> clusters =
      options.name.empty() ? cluster::find_all()
                           : std::vector<cluster::Cluster>{cluster_named(options.name)};
  if (write_json(options.json, cluster::to_document(clusters))) return;
  if (clusters.empty()) fmt::print("No cluster is up.\n\nNext: plait cluster up --nodes 4\n");
  const char* between = "";
  for (const cluster::Cluster& found : clusters) {
    fmt::print("{}{}", between, cluster::show(found));
    between = "\n";
  }
}

void down(const ClusterOptions& options) {
  cluster::become_caller(false);
  const auto named = [&] {
    if (auto found = cluster::find(options.name)) return *found;
    throw Error("cluster " + options.name, "not up",
                "plait cluster status lists the clusters that are up");
  };
  const std::vector<cluster::Cluster> clusters =
      options.all ? cluster::find_all() : std::vector<cluster::Cluster>{named()};
  for (const cluster::Cluster& found : clusters) {
    cluster::down(found);
    fmt::print("Cluster {} is stopped.\n", found.request.name);
  }
}

int run_on(const cluster::Cluster& where, const std::string& node,
           const cluster::ClusterCommand& command, double time_limit_s) {
  run::ProcessRequest request;
  request.argv = cluster::on_node(where, node, command.argv);
  request.environment = command.variables();
  if (time_limit_s > 0) request.time_limit_s = time_limit_s;
  const run::ProcessEnd end = run::supervise(request);
  for (const std::string& problem : end.problems) {
    fmt::print(stderr, "plait: warning: {}\n", problem);
  }
  if (!end.timed_out) return end.exit_code;
  fmt::print(stderr, "plait: time limit of {} s reached: the job was stopped on all nodes\n",
             time_limit_s);
  return run::kTimeLimitExit;
}

void require_command(const Command& command) {
  if (!command.program->empty()) return;
  throw Error("no command to run; example: " + command.examples.front());
}

int run(const Command& command, const ClusterOptions& options) {
  require_command(command);
  // Suggestions of plait run within this command repeat it.
  ::setenv(run::kAroundVariable, nlohmann::json(command.typed).dump().c_str(), 1);
  cluster::become_caller(command.given("--nodes"));
  if (!command.given("--nodes")) {
    for (const char* shape : {"--rate", "--latency", "--burst", "--cores-per-node"}) {
      if (!command.given(shape)) continue;
      throw Error(
          shape, "cannot change a cluster that is up",
          "add --nodes to start a cluster for this command, or give it to plait cluster up");
    }
    const cluster::Cluster found = cluster_named(options.name);
    return run_on(found, cluster::kHead, cluster::on_cluster(found, options.program),
                  options.time_limit_s);
  }
  cluster::ClusterRequest request = request_of(options);
  if (!command.given("--name")) request.name = fmt::format("run-{}", ::getpid());
  const cluster::OwnCluster own(request);
  return run_on(own.get(), cluster::kHead, cluster::on_cluster(own.get(), options.program),
                options.time_limit_s);
}

int exec(const Command& command, const ClusterOptions& options) {
  require_command(command);
  cluster::become_caller(false);
  std::vector<std::string> argv = options.program;
  const std::string node = argv.front();
  argv.erase(argv.begin());
  if (!argv.empty() && argv.front() == "--") argv.erase(argv.begin());
  if (argv.empty()) throw Error("no command to run; example: " + command.examples.front());
  return run_on(cluster_named(options.name), node, {argv, {}}, options.time_limit_s);
}

void add_name(Command& command, ClusterOptions& options) {
  command.option("--name", "NAME", options.name, "Name of the cluster").defaults_to("default");
}

void add_shape(Command& command, ClusterOptions& options, const std::string& nodes_default) {
  command.option("--nodes", "N", options.nodes, {0, 1e6}, "Number of nodes: n0, n1, ...")
      .defaults_to(nodes_default);
  command.option("--rate", "RATE", options.rate, "Rate of each node's link in each direction")
      .defaults_to("1gbit");
  command.option("--latency", "TIME", options.latency,
                 "Latency added to each packet, such as 25us");
  command
      .option("--burst", "SIZE", options.burst,
              "What an idle link passes at once. Larger bursts permit larger packets, which "
              "take less of the nodes' cores, but short messages are then faster than the rate")
      .defaults_to("what it passes in 80 us");
  command.option("--cores-per-node", "N", options.cores_per_node, {0, 1e6}, "Cores of each node")
      .defaults_to("this machine's cores, divided evenly");
}

void add_time_limit(Command& command, ClusterOptions& options) {
  command.option("--time-limit", "SECONDS", options.time_limit_s, kSeconds,
                 "Stop the command after this many seconds");
}

void add_up_and_down(Command& parent) {
  const auto to_up = std::make_shared<ClusterOptions>();
  to_up->nodes = 2;
  Command& start = parent.add_command("up", "Start a cluster");
  add_shape(start, *to_up, "2");
  add_name(start, *to_up);
  start.example("plait cluster up --nodes 4 --rate 1gbit --latency 25us");
  start.action([to_up] {
    up(*to_up);
    return 0;
  });

  const auto to_down = std::make_shared<ClusterOptions>();
  Command& stop = parent.add_command("down", "Stop a cluster and everything that runs on it");
  add_name(stop, *to_down);
  stop.flag("--all", to_down->all, "Stop all your clusters");
  stop.action([to_down] {
    down(*to_down);
    return 0;
  });
}

void add_status_and_rate(Command& parent) {
  const auto to_status = std::make_shared<ClusterOptions>();
  to_status->name.clear();
  Command& list = parent.add_command("status", "List the clusters that are up");
  list.option("--name", "NAME", to_status->name, "List this cluster only");
  add_json_output(list, to_status->json, "the list");
  list.action([to_status] {
    status(*to_status);
    return 0;
  });

  const auto to_rate = std::make_shared<ClusterOptions>();
  Command& rate = parent.add_command("rate", "Change the rate of all links of a cluster");
  add_name(rate, *to_rate);
  rate.argument("RATE", to_rate->rate, "Rate: 100mbit, 1gbit, 90MB/s").required();
  rate.action([to_rate] {
    cluster::become_caller(false);
    cluster::set_rate(cluster_named(to_rate->name), parse_bytes_per_second(to_rate->rate));
    return 0;
  });
}

void add_run_and_exec(Command& parent) {
  const auto to_run = std::make_shared<ClusterOptions>();
  Command& job = parent.add_command(
      "run", "Run a launcher, or a script that starts one, on the nodes of a cluster");
  job.describe("With --nodes, a cluster is started for this command and stopped when it ends.");
  add_name(job, *to_run);
  add_shape(job, *to_run, "the cluster that is up");
  add_time_limit(job, *to_run);
  job.takes_program(to_run->program);
  job.example("plait cluster run -- mpiexec -n 4 ./app");
  job.example("plait cluster run --nodes 4 -- mpiexec -n 8 ./app");
  job.action([&job, to_run] { return run(job, *to_run); });

  const auto to_exec = std::make_shared<ClusterOptions>();
  Command& one = parent.add_command("exec", "Run a command on one node, on its cores");
  one.describe("The first argument is the name of the node: n0, n1 and so on, or head.");
  add_name(one, *to_exec);
  add_time_limit(one, *to_exec);
  one.takes_program(to_exec->program);
  one.example("plait cluster exec n0 hostname");
  one.action([&one, to_exec] { return exec(one, *to_exec); });
}

}  // namespace

void add_cluster(Command& plait) {
  Command& command = plait.add_command(
      "cluster", "Emulate several nodes and their network on this machine", group::nodes);
  add_up_and_down(command);
  add_run_and_exec(command);
  add_status_and_rate(command);
}

}  // namespace plait::cli
