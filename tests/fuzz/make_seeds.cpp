// SPDX-License-Identifier: BSD-3-Clause
// Writes the binary seeds: plait_fuzz_seeds tests/data/fuzz. Records, traces and check files of two
// ranks with an entry of every kind.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "compressed_events.hpp"
#include "made_samples.hpp"
#include "repair.hpp"
#include "samples/sample_times.hpp"
#include "synthetic_events.hpp"
#include "synthetic_resources.hpp"
#include "timed_tree.hpp"
#include "trace/check_format.h"
#include "trace/container.hpp"
#include "trace/pack.hpp"
#ifdef PLAIT_HAS_OTF2
#include "export/otf2/write_otf2.hpp"
#include "trace/site_names.hpp"
#include "trace/trace.hpp"
#endif

namespace plait::fuzz {
namespace {

namespace fs = std::filesystem;
using Buffer = std::vector<std::uint8_t>;
using trace::test::SyntheticEvents;
using trace::test::SyntheticRecord;

Buffer bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A record file without the unused end of the synthetic one.
Buffer record_of(const fs::path& file) {
  Buffer bytes = bytes_of(file);
  while (!bytes.empty() && bytes.back() == 0) bytes.pop_back();
  bytes.resize((bytes.size() + 63) / 64 * 64);
  plait_record_header head{};
  std::memcpy(&head, bytes.data(), sizeof head);
  head.file_bytes = bytes.size();
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes;
}

/// As parts_of() takes it.
Buffer joined(const std::vector<Buffer>& parts) {
  Buffer all;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const auto length = static_cast<std::uint32_t>(parts[i].size());
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(&length);
    all.insert(all.end(), begin, begin + sizeof length);
  }
  for (const Buffer& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

void save(const fs::path& file, const Buffer& bytes) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  std::printf("%s: %zu bytes\n", file.c_str(), bytes.size());
}

/// Tables that events do not need.
void add_tables(SyntheticRecord& record) {
  plait_record_header& head = record.header();
  head.program = record.string("/nowhere/app");
  head.library = record.string("Open MPI v4.1.4, package: Debian OpenMPI");
  head.omp_runtime = record.string("libgomp");
  head.openmp_view = PLAIT_OPENMP_GOMP;
  head.cgroup_quota_cores = 1.5;
  record.table<plait_module_record>(
      PLAIT_SECTION_MODULES, {{0x1000, 0x9000, 0x1000, record.string("/nowhere/app"), 0},
                              {0x8000, 0xa000, 0, record.string("/nowhere/libmpi.so.40"), 0}});
  plait_site_record site{};
  site.key = 7;
  site.depth = 2;
  site.pc[0] = 0x8101;
  site.pc[1] = 0x1201;
  record.table<plait_site_record>(PLAIT_SECTION_SITES, {{}, site});
  plait_call_entry call{};
  call.key = PLAIT_CALL_KEY(0, 1, 1, PLAIT_PEER_NODE, 4);
  call.count = 3;
  call.bytes = 24;
  call.ticks = 2'000'000;
  call.max_ticks = 1'000'000;
  plait_thread_record thread{};
  thread.tid = 500;
  thread.last_ticks = 2'000'000'000;
  thread.mpi_ticks = 2'000'000;
  thread.calls_offset = record.place<plait_call_entry>({call, {}});
  thread.calls_capacity = 2;
  thread.peers_offset = record.place<plait_peer_entry>({{3, 3, 24}, {4, 1, 8}});
  thread.peers_capacity = 2;
  thread.colls_offset =
      record.place<plait_coll_entry>({{PLAIT_KEY_USED | (1ULL << 48) | (1ULL << 32), 5, 80}});
  thread.colls_capacity = 1;
  record.table<plait_thread_record>(PLAIT_SECTION_THREADS, {thread});
  record.table<plait_omp_thread_record>(PLAIT_SECTION_OMP_THREADS,
                                        {{0, 500, 1'000'000, 50'000}, {1, 501, 900'000, 150'000}});
  plait_placement_record place{};
  place.phase = PLAIT_PHASE_INIT;
  place.tid = 500;
  place.allowed[0] = 3;
  record.table<plait_placement_record>(PLAIT_SECTION_PLACEMENT, {place});
  record.table<plait_cpu_wait_record>(
      PLAIT_SECTION_CPU_WAIT,
      {{500, 0, 2000, 1'000'000, 0, 5, 6}, {500, 1, 2'000'000'000, 900'000'000, 1'000'000, 9, 9}});
  trace::test::add_resources(record);
  record.table<std::uint32_t>(PLAIT_SECTION_NOTES, {record.string("a note")});
  plait_foreign_record foreign{};
  foreign.pid = 9;
  foreign.name = record.string("other");
  foreign.allowed[0] = 1;
  foreign.cpu_share = 0.5;
  record.table<plait_foreign_record>(PLAIT_SECTION_FOREIGN, {foreign});
}

/// Writes a rank with every kind of event.
void write_rank(const fs::path& run, int rank) {
  SyntheticEvents process(rank, 2, rank == 0 ? "alpha" : "beta");
  const int other = 1 - rank;
  process.record.table<plait_region_record>(PLAIT_SECTION_REGIONS,
                                            {{process.record.string("step"), 0, 1, 1000, 10},
                                             {process.record.string("inner"), 1, 1, 900, 5}});
  process.record.table<plait_parallel_record>(PLAIT_SECTION_PARALLEL,
                                              {{0x1234, 1, 2, 1000, 900, 100}});
  add_tables(process.record);
  process.header().at_init = {2000, rank * 0.25, 2e-6, rank == 0 ? 0U : 1U, 0};
  process.header().at_finalize = {2'000'002'000, rank * 0.25 + 1e-6, 1e-6, rank == 0 ? 0U : 1U, 0};
  const auto any = PLAIT_SHAPE_WILDCARD;
  const auto send = process.shape(PLAIT_EVENT_SEND, other, 3);
  const auto receive = process.shape(PLAIT_EVENT_RECV, other, 3);
  const auto wild = process.shape(PLAIT_EVENT_RECV, PLAIT_ANY_PEER, -1, any);
  const auto both = process.shape(PLAIT_EVENT_SENDRECV, other, 4);
  const auto half = process.shape(PLAIT_EVENT_RECV, other, 4);
  const auto begins = process.shape(PLAIT_EVENT_ISEND, other, 5);
  const auto later = process.shape(PLAIT_EVENT_IRECV, other, 5);
  const auto both_begin = process.shape(PLAIT_EVENT_ISENDRECV, other, 6);
  const auto later_half = process.shape(PLAIT_EVENT_IRECV, other, 6);
  const auto start = process.shape(PLAIT_EVENT_START);
  const auto wait = process.shape(PLAIT_EVENT_COMPLETE, -1, -1, 0, "MPI_Waitall");
  const auto test = process.shape(PLAIT_EVENT_COMPLETE, -1, -1, PLAIT_SHAPE_TEST, "MPI_Test");
  const auto probe = process.shape(PLAIT_EVENT_PROBE, other, 7);
  const auto mprobe = process.shape(PLAIT_EVENT_MPROBE, other, 7);
  const auto mrecv = process.shape(PLAIT_EVENT_MRECV);
  const auto imrecv = process.shape(PLAIT_EVENT_IMRECV);
  const auto sum = process.shape(PLAIT_EVENT_COLLECTIVE, -1, -1, 0, "MPI_Allreduce");
  const auto gather =
      process.shape(PLAIT_EVENT_COLLECTIVE, 0, -1, PLAIT_SHAPE_VARIES, "MPI_Gather");
  const auto igather = process.shape(PLAIT_EVENT_ICOLLECTIVE, 0, -1, 0, "MPI_Igather");
  const auto put = process.shape(PLAIT_EVENT_RMA, other);
  plait_shape made{};
  made.kind = PLAIT_EVENT_REGION;
  const auto region = process.shape(made);
  made.kind = PLAIT_EVENT_PARALLEL;
  const auto parallel = process.shape(made);
  made.kind = PLAIT_EVENT_WORK;
  const auto work = process.shape(made);
  constexpr auto kBytes = PLAIT_SHAPE_BYTES;
  constexpr auto kStatus = PLAIT_REFERENCE_STATUS, kForeign = PLAIT_REFERENCE_FOREIGN;
  const auto peer = static_cast<std::uint32_t>(other);
  std::uint32_t requests = 1;
  for (std::uint64_t chunk = 0; chunk < 2; ++chunk) {
    process.chunk(0, 3000 + 20'000'000'000 * chunk, requests);
    process.event(send | kBytes, 10, 100, {8});
    process.event(receive | kBytes, 30, 1000, {8});
    process.event(wild | kBytes, 30, 1000, {512, peer, 4});
    process.event(both | kBytes | PLAIT_SHAPE_WIDE, PLAIT_LONG, 9,
                  {9, 2, 1, 2, half, 16, 0, peer, 4});
    process.event(later | kBytes, 1, 2, {64});
    process.event(begins | kBytes, 1, 2, {64});
    process.event(both_begin | kBytes, 1, 2, {32, later_half, 32, 0, peer, 6});
    process.event(start, 3, 5, {2, begins, 8, 0, later, 8, 0});
    process.event(test, 3, 5, {0, 3});
    process.event(wait, 1, 500, {4, 1, 2, 3, 4 | kStatus, peer, 5});
    process.event(probe, 1, 1, {0, 1});
    process.event(mprobe, 1, 1, {1, peer, 7});
    process.event(mrecv | kBytes, 1, 1, {99, 1});
    process.event(imrecv, 1, 1, {1 | kForeign, 0});
    process.event(sum | kBytes, 1, 700, {32});
    process.event(gather | kBytes, 1, 7, {32, 64, 0});
    process.event(igather, 1, 7);
    process.event(wait, 1, 20, {1, 1});
    process.event(put | kBytes, 1, 7, {1000});
    process.event(work, 900, 800, {20, 0});
    process.event(parallel, 0, 850, {2, 200, 0});
    process.event(region, 10, 2000);
    requests += 7;
  }
  process.chunk(1, 4000);
  process.event(sum, 1, 3);
  process.write(run);
}

/// A check file with two operations that match those of the other rank, as check_file() takes it.
Buffer check_of(int rank) {
  std::vector<char> blocks;
  plait_check_header head{};
  head.magic = PLAIT_CHECK_MAGIC;
  head.version = PLAIT_CHECK_VERSION;
  head.header_bytes = sizeof head;
  head.block_bytes = PLAIT_CHECK_BLOCK_BYTES;
  head.pid = 100 + rank;
  head.finalized = 2;
  const auto put = [&](plait_check_section which, const auto& entries) {
    using Entry = typename std::decay_t<decltype(entries)>::value_type;
    head.sections[which] = {entries.size(), sizeof(Entry), 0};
    const auto owner = static_cast<std::uint32_t>(which);
    const auto length = static_cast<std::uint32_t>(entries.size() * sizeof(Entry));
    for (const std::uint32_t number : {owner, length}) {
      const auto* const begin = reinterpret_cast<const char*>(&number);
      blocks.insert(blocks.end(), begin, begin + sizeof number);
    }
    const auto* const begin = reinterpret_cast<const char*>(entries.data());
    blocks.insert(blocks.end(), begin, begin + length);
    ++head.blocks;
  };
  plait_check_thread thread{};
  thread.sequence = 2;
  thread.tid = 500;
  thread.wait = PLAIT_CHECK_WAIT_ALL;
  put(PLAIT_CHECK_THREADS, std::vector{thread});
  put(PLAIT_CHECK_COMMS, std::vector<plait_check_comm>{{}, {77, 1, 1, 0}});
  put(PLAIT_CHECK_TYPES,
      std::vector<plait_check_type>{
          {}, {5, 1, 4, 0, 0, PLAIT_CHECK_TYPE_BASIC, 1, 0}, {9, 3, 12, 0, 1, 0, 0, 0}});
  put(PLAIT_CHECK_PARTS, std::vector<plait_check_part>{{3, 1, 0}});
  put(PLAIT_CHECK_NAMES, std::string("\0MPI_INT\0", 9));
  put(PLAIT_CHECK_OBJECTS, std::vector<plait_check_object>{{PLAIT_CHECK_COMM, 1, 1, 0}});
  put(PLAIT_CHECK_FINDINGS,
      std::vector<plait_check_finding>{{PLAIT_CHECK_BUFFER_CHANGED, 1, 1, 0, 0, 0, 1},
                                       {PLAIT_CHECK_INVALID_ARGUMENT, 1, 1, 0, 1, 3, 2}});
  put(PLAIT_CHECK_COUNTS, std::vector<std::uint64_t>{0, 1, 2});
  plait_check_op message{};
  message.kind = rank == 0 ? PLAIT_CHECK_SEND : PLAIT_CHECK_RECEIVE;
  message.state = PLAIT_CHECK_COMPLETE;
  message.site = 1;
  message.comm = 1;
  message.peer = message.actual_peer = 1 - rank;
  message.tag = message.actual_tag = 3;
  message.type = 2;
  message.count = 2;
  plait_check_op collective = message;
  collective.kind = PLAIT_CHECK_COLLECTIVE;
  collective.flags = PLAIT_CHECK_SENDS | PLAIT_CHECK_RECEIVES;
  collective.function = 1;
  collective.peer = PLAIT_CHECK_NONE;
  collective.type_received = 1;
  collective.counts = 1;
  collective.of = 2;
  put(PLAIT_CHECK_OPS, std::vector{message, collective});
  const auto* const begin = reinterpret_cast<const char*>(&head);
  blocks.insert(blocks.begin(), begin, begin + kCheckHead);
  return {blocks.begin(), blocks.end()};
}

/// A file of samples with an entry of every kind.
/// @param with_times  else of version 1
Buffer samples_of_two_threads(bool with_times) {
  samples::test::MadeSamples made;
  const auto main_thread = made.thread(7), worker = made.thread(8, 1);
  made.module(0x1000, 0x2000, 0x1000, "");
  made.module(0x5000, 0x6000, 0x4000, "/nowhere/libmpi.so.40");
  const auto outer = made.node(0, 0x1100);
  const auto mpi = made.node(outer, 0x5100 | PLAIT_EXACT_ADDRESS);
  const auto line = made.python(outer, "12 solve");
  const auto count = made.count(mpi, main_thread, 3, PLAIT_SAMPLE_MPI);
  made.time(100, count, 2);
  made.time(200, count);
  made.count(line, main_thread, 5, PLAIT_SAMPLE_CODE, 1);
  made.count(made.node(PLAIT_NODE_TRUNCATED, 0x1200), worker, 2, PLAIT_SAMPLE_IDLE);
  if (!with_times) made.before_times();
  const std::string bytes = made.bytes();
  return {bytes.begin(), bytes.end()};
}

void make(const fs::path& seeds) {
  save(seeds / "samples" / "two_threads", samples_of_two_threads(false));
  save(seeds / "samples" / "with_times", samples_of_two_threads(true));
  const fs::path run = fs::temp_directory_path() / ("plait-seeds-" + std::to_string(::getpid()));
  fs::create_directories(run);
  samples::write_samples(timed_tree(), run);
  save(seeds / "sample_times" / "two_ranks", bytes_of(samples::sample_times_file(run)));
  write_rank(run, 0);
  write_rank(run, 1);
  const fs::path records = run / "records";
  const Buffer first = record_of(records / "alpha-100.rec");
  const Buffer second = record_of(records / "beta-101.rec");
  save(seeds / "record" / "two_ranks", joined({first, second}));
  Buffer events = bytes_of(records / "alpha-100.evt");
  const Buffer others = bytes_of(records / "beta-101.evt");
  save(seeds / "raw_trace" / "two_ranks", joined({first, events, second, others}));
  save(seeds / "raw_trace" / "frames", joined({first, trace::test::compressed_events(events),
                                               second, trace::test::compressed_events(others)}));
  events.insert(events.begin(), kToCompress);
  save(seeds / "raw_trace" / "to_compress", joined({first, events, second, others}));
  save(seeds / "check" / "two_ranks", joined({first, check_of(0), second, check_of(1)}));
  const fs::path container = run / "container";
  const int to = ::open(container.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  trace::write_container(to, container.string(),
                         {records / "alpha-100.rec", records / "beta-101.rec"});
  ::close(to);
  save(seeds / "container" / "two_ranks", bytes_of(container));
  trace::pack_trace(run, [](std::size_t, std::size_t) {});
  save(seeds / "packed_trace" / "two_ranks",
       joined({unpacked(run / "trace" / "0.ptrace"), unpacked(run / "trace" / "1.ptrace")}));
#ifdef PLAIT_HAS_OTF2
  const trace::Trace of_run = trace::read_trace(run);
  std::vector<std::string> notes;
  otf2::write_otf2(of_run, trace::name_places(of_run, notes), run / "otf2");
  std::vector<Buffer> archive{bytes_of(run / "otf2" / "traces.otf2"),
                              bytes_of(run / "otf2" / "traces.def")};
  for (int location = 0; location < 4; ++location) {
    const std::string name = std::to_string(location);
    archive.push_back(bytes_of(run / "otf2" / "traces" / (name + ".def")));
    archive.push_back(bytes_of(run / "otf2" / "traces" / (name + ".evt")));
  }
  save(seeds / "otf2" / "two_ranks", joined(archive));
#endif
  Buffer whole = bytes_of(run / "trace" / "0.ptrace");
  whole.insert(whole.begin(), 0);
  save(seeds / "packed_trace" / "file", joined({whole, {}}));
  fs::remove_all(run);
}

}  // namespace
}  // namespace plait::fuzz

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: plait_fuzz_seeds FOLDER\n");
    return 2;
  }
  plait::fuzz::make(argv[1]);
  return 0;
}
