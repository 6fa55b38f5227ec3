// SPDX-License-Identifier: BSD-3-Clause
// Tests of the parsers for networks, layouts and programs, and their errors.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "machine/machine_file.hpp"
#include "made_program.hpp"
#include "plait/error.hpp"
#include "replay/layout_text.hpp"
#include "replay/network_text.hpp"
#include "replay/replay.hpp"

namespace plait::replay {
namespace {

std::string message_of(const std::string& spec) {
  try {
    open_network(spec);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Network, settings_apply_to_both_paths_or_to_one) {
  const Network network = open_network(
      "node.latency=300ns,latency=2us,bandwidth=10GB/s,net.bandwidth=1GB/s,eager=64KiB,"
      "overhead=0,gap=100ns,progress=thread,sharing=fair,cards=rank,collectives=dependencies,"
      "speedup=1:1.5");
  EXPECT_DOUBLE_EQ(network.within_node.latency_s, 300e-9);
  EXPECT_DOUBLE_EQ(network.between_nodes.latency_s, 2e-6);
  EXPECT_DOUBLE_EQ(network.within_node.seconds_per_byte, 1e-10);
  EXPECT_DOUBLE_EQ(network.between_nodes.seconds_per_byte, 1e-9);
  EXPECT_EQ(network.within_node.eager_limit, 65536U);
  EXPECT_DOUBLE_EQ(network.between_nodes.gap_s, 100e-9);
  EXPECT_EQ(network.progress, Progress::thread);
  EXPECT_EQ(network.sharing, Sharing::fair);
  EXPECT_EQ(network.collectives, Collectives::dependencies);
  EXPECT_FALSE(network.shared_cards);
  EXPECT_EQ(network.node_speedup, (std::vector<double>{1, 1.5}));
}

machine::Statistic between(double low, double median, double high) {
  return {low, median, low, high, 9, {}};
}

/// A machine whose messages take up to twice as long as their median.
machine::Measured uncertain() {
  machine::Path path;
  path.id = "l3";
  path.name = "shared L3";
  for (const std::uint64_t bytes : {0, 1024, 65536, 1048576}) {
    const double us = 1 + static_cast<double>(bytes) * 1e-4;
    path.mpi_pingpong.push_back(
        {bytes, between(0.8 * us, us, 2 * us), static_cast<double>(bytes) / us * 1e-3});
  }
  machine::Measured measured;
  measured.paths = {path};
  return measured;
}

TEST(Network, of_a_machine_has_the_intervals_of_its_figures_and_what_speaks_against_them) {
  machine::Measured measured = uncertain();
  EXPECT_TRUE(machine_network(measured, "here").notes.empty());
  measured.paths[0].mpi_pingpong[1].half_round_trip_us.unusable = "too slow";
  measured.waited_for_cpu = 0.4;
  const Network network = machine_network(measured, "here");
  EXPECT_DOUBLE_EQ(network.within_node.fastest, 0.8);
  EXPECT_DOUBLE_EQ(network.within_node.slowest, 2);
  EXPECT_EQ(network.notes.size(), 2U);
}

TEST(Network, the_interval_of_a_replay_covers_the_intervals_of_the_times) {
  const auto program = halo_program(parse_halo("halo,ranks=2,nodes=1,compute=1us,faces=64KiB"));
  const Network network = machine_network(uncertain(), "here");
  const ReplayInterval wide = replay_with_interval(*program, network);
  Network certain = network;
  certain.within_node.fastest = certain.within_node.slowest = 1;
  const ReplayInterval narrow = replay_with_interval(*program, certain);
  EXPECT_DOUBLE_EQ(wide.middle.time_s, narrow.middle.time_s);
  EXPECT_LT(wide.low_s, narrow.low_s);
  EXPECT_GT(wide.high_s, 1.5 * narrow.middle.time_s);
}

TEST(Network, the_ideal_one_takes_its_rendezvous_limit) {
  EXPECT_EQ(open_network("ideal:32KiB").between_nodes.eager_limit, 32768U);
  EXPECT_EQ(open_network("ideal").between_nodes.eager_limit, ~std::uint64_t{0});
}

TEST(Network, errors_name_the_invalid_part_and_valid_values) {
  EXPECT_NE(message_of("latency=2us,bandwith=1GB/s").find("bandwith: unknown setting"),
            std::string::npos);
  EXPECT_NE(message_of("latency=2").find("2: not a time"), std::string::npos);
  EXPECT_NE(message_of("progress=magic").find("in-call, thread, hardware"), std::string::npos);
  EXPECT_NE(message_of("ideal:huge").find("huge: not a size"), std::string::npos);
  EXPECT_NE(message_of("latency=1us,").find("not a list of settings"), std::string::npos);
  EXPECT_NE(message_of("no-such-machine.json").find("no-such-machine.json"), std::string::npos);
}

TEST(Network, a_machine_file_gives_its_measured_paths) {
  const Network network = open_network(std::string(PLAIT_TEST_DATA) + "/machines/townsend.json");
  EXPECT_DOUBLE_EQ(network.between_nodes.latency_s, 50e-6);
  EXPECT_DOUBLE_EQ(network.between_nodes.seconds_per_byte, 1 / 90e6);
  EXPECT_FALSE(network.within_node.known);
  ASSERT_EQ(network.node_speedup.size(), 2U);
  EXPECT_NEAR(network.node_speedup[1], 198.0 / 177.0, 1e-12);
}

TEST(Network, replay_reproduces_measured_one_way_times) {
  machine::Measured measured;
  machine::Path& path = measured.paths.emplace_back();
  path.id = "l2";
  for (const auto& [bytes, us] : {std::pair{0, 0.5}, {1024, 0.8}, {65536, 8.0}, {1048576, 105.0}}) {
    machine::CurvePoint point;
    point.bytes = static_cast<std::uint64_t>(bytes);
    point.half_round_trip_us.median = us;
    point.bandwidth_gbs = bytes / us * 1e-3;
    path.mpi_pingpong.push_back(point);
  }
  path.bare_line_us.emplace().median = 0.1;
  const Network network = machine_network(measured, "here");
  EXPECT_NEAR(network.within_node.overhead_s, 0.2e-6, 1e-12);
  EXPECT_TRUE(network.within_node.known);
  EXPECT_FALSE(network.between_nodes.known);
  const auto time = [&](std::uint64_t bytes) {
    MadeProgram program(2);
    program.send(0, 1, bytes);
    program.receive(1, 0);
    return replay(program, network).time_s;
  };
  EXPECT_NEAR(time(0), 0.5e-6, 1e-12);
  EXPECT_NEAR(time(1024), 0.8e-6, 1e-12);
  EXPECT_NEAR(time(65536), 8e-6, 1e-12);
  EXPECT_NEAR(time((1024 + 65536) / 2), 4.4e-6, 1e-12);
  EXPECT_NEAR(time(2097152 - 65536), 105e-6 + 97e-6, 1e-9);
}

TEST(Network, fits_of_a_machine_file_replace_defaults) {
  machine::MachineFile file =
      machine::load(std::string(PLAIT_TEST_DATA) + "/machines/cluster-example.json");
  const Network network = machine_network(*file.measured, "example");
  EXPECT_EQ(network.within_node.eager_limit, 4096U);
  EXPECT_EQ(network.between_nodes.eager_limit, 65536U);
  const machine::LogGp fits = file.measured->paths.back().loggp.value();
  EXPECT_DOUBLE_EQ(network.between_nodes.overhead_s, fits.overhead_s.value);
  EXPECT_DOUBLE_EQ(network.between_nodes.gap_s, fits.gap_s.value);
  EXPECT_EQ(network.progress, Progress::in_call) << "a communicating thread is not the default";

  file.measured->paths.back().loggp->eager_limit = 32768;
  file.measured->overlap_verdicts.front().progresses = true;
  const Network other = machine_network(*file.measured, "example");
  EXPECT_EQ(other.between_nodes.eager_limit, 32768U);
  EXPECT_EQ(other.progress, Progress::thread);

  file.measured->paths.back().loggp.reset();
  EXPECT_EQ(machine_network(*file.measured, "example").between_nodes.eager_limit, 65536U);
}

TEST(Network, a_file_contains_curves_and_settings) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("plait-network-" + std::to_string(::getpid()) + ".json");
  std::ofstream(file) << R"({"schema": "plait-network", "schema_version": 1, "name": "twenty-five",
    "between_nodes": {"bandwidth": "3GB/s", "eager": "16KiB",
                      "measured": [[0, 1.5e-6], [1048576, 4e-4]]},
    "settings": {"progress": "hardware"}, "collective_curve": [[8, 1e-5], [1024, 2e-5]]})";
  const Network network = open_network(file.string());
  std::filesystem::remove(file);
  EXPECT_EQ(network.name, "twenty-five");
  EXPECT_EQ(network.between_nodes.measured.size(), 2U);
  EXPECT_EQ(network.between_nodes.eager_limit, 16384U);
  EXPECT_FALSE(network.within_node.known);
  EXPECT_EQ(network.progress, Progress::hardware);
  EXPECT_EQ(network.collectives, Collectives::curve);
}

TEST(Layout, placements_are_lists_or_spread) {
  EXPECT_EQ(parse_placement("0-1:a,2:b,3:a", 4), (std::vector<std::uint32_t>{0, 0, 1, 0}));
  EXPECT_EQ(parse_placement("nodes=2", 5), (std::vector<std::uint32_t>{0, 0, 0, 1, 1}));
  EXPECT_EQ(parse_placement("nodes=2,cyclic", 4), (std::vector<std::uint32_t>{0, 1, 0, 1}));
  for (const char* bad : {"0-1:a", "0-3:a,3:b", "0-4:a", "a:0", "nodes=0", "nodes=2,round", ""}) {
    EXPECT_THROW(parse_placement(bad, 4), Error) << bad;
  }
}

TEST(Layout, a_mapping_moves_ranks_to_where_others_ran) {
  EXPECT_EQ(parse_mapping("0,2,1,3", {0, 0, 1, 1}), (std::vector<std::uint32_t>{0, 1, 0, 1}));
  for (const char* bad : {"0,1,2", "0,0,1,2", "0,1,2,4", "x", ""}) {
    EXPECT_THROW(parse_mapping(bad, {0, 0, 1, 1}), Error) << bad;
  }
}

TEST(Layout, halo_exchanges_are_read) {
  const HaloProgram halo =
      parse_halo("halo,ranks=24,nodes=6,compute=10ms,faces=1KiB:2KiB:3KiB,iterations=7,periodic");
  EXPECT_EQ(halo.parts[0] * halo.parts[1] * halo.parts[2], 24U);
  EXPECT_EQ(halo.ranks_per_node, 4U);
  EXPECT_DOUBLE_EQ(halo.compute_s, 0.01);
  EXPECT_EQ(halo.face_bytes[2], 3072U);
  EXPECT_EQ(halo.iterations, 7U);
  EXPECT_TRUE(halo.periodic);
  for (const char* bad : {"halo", "ring,ranks=4", "halo,ranks=x", "halo,ranks=4,faces=1KiB:2KiB",
                          "halo,ranks=4,grid=3x1x1", "halo,ranks=2,nodes=4"}) {
    EXPECT_THROW(parse_halo(bad), Error) << bad;
  }
}

TEST(Layout, transposes_are_read) {
  const TransposeProgram of =
      parse_transposes("transposes,ranks=24,nodes=6,compute=10ms,bytes=3KiB,iterations=7");
  EXPECT_EQ(of.ranks, 24U);
  EXPECT_EQ(of.ranks_per_node, 4U);
  EXPECT_DOUBLE_EQ(of.compute_s, 0.01);
  EXPECT_EQ(of.bytes, 3072U);
  EXPECT_EQ(of.iterations, 7U);
  for (const char* bad : {"transposes", "transposes,ranks=4,faces=1KiB", "transposes,ranks=99999",
                          "transposes,ranks=2,nodes=4"}) {
    EXPECT_THROW(generated_program(bad), Error) << bad;
  }
}

TEST(Interval, contains_the_middle_and_is_narrow_without_open_settings) {
  const auto halo = halo_program(parse_halo("halo,ranks=8,compute=1ms,faces=1MiB,iterations=3"));
  const ReplayInterval real =
      replay_with_interval(*halo, open_network("latency=2us,bandwidth=1GB/s,eager=64KiB"));
  EXPECT_LE(real.low_s, real.middle.time_s);
  EXPECT_GE(real.high_s, real.middle.time_s);
  EXPECT_LT(real.low_s, real.high_s);
  const ReplayInterval ideal = replay_with_interval(*halo, ideal_network());
  EXPECT_EQ(ideal.low_s, ideal.high_s);
  EXPECT_NEAR(ideal.middle.time_s, 3e-3, 1e-12);
}

}  // namespace
}  // namespace plait::replay
