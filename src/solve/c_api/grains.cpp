// SPDX-License-Identifier: BSD-3-Clause
// C interface: blocks of grains.
#include "plait/grains.hpp"

#include "solve/c_api/c_api.hpp"

struct plait_grains {
  plait::GrainBlock block;
  std::string name;
  std::string graph{};
};

static_assert(PLAIT_EXCHANGE_SIZES == plait::kExchangeSizes);

namespace {

using plait::Error;
using plait::GrainBlock;
using plait::c_api::guarded_call;
using plait::c_api::required;

plait::GrainOptions parse(const plait_grains_options* options) {
  plait::GrainOptions chosen;
  if (options == nullptr) return chosen;
  chosen.threads = options->threads;
  if (options->first_thread != 0) chosen.communicating = plait::CommunicatingThread::first;
  if (options->channels != 0) chosen.channels = options->channels;
  if (options->before != 0) chosen.grains_before = options->before == -1 ? 0 : options->before;
  if (options->wait != nullptr) chosen.wait = plait::parse_wait(options->wait);
  return chosen;
}

/// What a task does when a function of the program has returned.
class Checked {
public:
  Checked(const plait_grains& block, const char* task)
      : what_("grain block \"" + block.name + "\""), task_(task) {}

  void operator()(int part, int status) const {
    if (status == 0) return;
    throw Error(what_,
                "part " + std::to_string(part) + " of task \"" + task_ + "\" returned " +
                    std::to_string(status),
                "see what that function reports");
  }

private:
  std::string what_, task_;
};

using Declare = GrainBlock::Task (GrainBlock::*)(const std::string&, int, GrainBlock::Run);

int declare(Declare declare, plait_grains* block, const char* name, int parts,
            plait_grains_part run, void* context, int* task) {
  return guarded_call([&] {
    required(task, "task") = -1;
    required(name, "name");
    if (run == nullptr) throw Error("run", "must not be NULL", "pass a function");
    const Checked check(required(block, "block"), name);
    *task = (block->block.*declare)(name, parts, [check, run, context](int part) {
              check(part, run(part, context));
            }).index;
  });
}

template <class Begin, class Requests>
int declare_begun(plait_grains* block, const char* name, int parts, int count, Begin begin,
                  void* context, int* task, Requests requests) {
  return guarded_call([&] {
    required(task, "task") = -1;
    required(name, "name");
    if (begin == nullptr) throw Error("begin", "must not be NULL", "pass a function");
    if (count < 0) throw Error("count", "negative", "give the number of requests per part");
    const Checked check(required(block, "block"), name);
    *task =
        block->block
            .begin_communication(name, parts,
                                 [=](int part, std::vector<MPI_Request>& list) {
                                   list.assign(static_cast<std::size_t>(count), MPI_REQUEST_NULL);
                                   check(part, requests(begin, part, list, context));
                                 })
            .index;
  });
}

}  // namespace

extern "C" {

int plait_grains_create(const char* name, const plait_grains_options* options,
                        plait_grains** block) {
  return guarded_call([&] {
    required(block, "block") = nullptr;
    required(name, "name");
    *block = new plait_grains{GrainBlock(name, parse(options)), name};
  });
}

int plait_grains_free(plait_grains** block) {
  return guarded_call([&] { delete std::exchange(required(block, "block"), nullptr); });
}

int plait_grains_compute(plait_grains* block, const char* name, int parts, plait_grains_part run,
                         void* context, int* task) {
  return declare(&GrainBlock::compute, block, name, parts, run, context, task);
}

int plait_grains_compute_in_order(plait_grains* block, const char* name, int parts,
                                  plait_grains_part run, void* context, int* task) {
  return declare(&GrainBlock::compute_in_order, block, name, parts, run, context, task);
}

int plait_grains_communicate(plait_grains* block, const char* name, int parts,
                             plait_grains_part run, void* context, int* task) {
  return declare(&GrainBlock::communicate, block, name, parts, run, context, task);
}

int plait_grains_begin_communication(plait_grains* block, const char* name, int parts, int count,
                                     plait_grains_begin begin, void* context, int* task) {
  return declare_begun(block, name, parts, count, begin, context, task,
                       [](plait_grains_begin call, int part, std::vector<MPI_Request>& requests,
                          void* data) { return call(part, requests.data(), data); });
}

int plait_grains_begin_communication_f(plait_grains* block, const char* name, int parts, int count,
                                       plait_grains_begin_f begin, void* context, int* task) {
  return declare_begun(
      block, name, parts, count, begin, context, task,
      [](plait_grains_begin_f call, int part, std::vector<MPI_Request>& requests, void* data) {
        std::vector<MPI_Fint> handles;
        for (const MPI_Request request : requests) handles.push_back(MPI_Request_c2f(request));
        const int status = call(part, handles.data(), data);
        for (std::size_t at = 0; at < handles.size(); ++at) {
          requests[at] = MPI_Request_f2c(handles[at]);
        }
        return status;
      });
}

int plait_grains_on_progress(plait_grains* block, void (*progress)(void* context), void* context) {
  return guarded_call([&] {
    if (progress == nullptr) throw Error("progress", "must not be NULL", "pass a function");
    required(block, "block").block.on_progress([progress, context] { progress(context); });
  });
}

int plait_grains_after(plait_grains* block, int later, int earlier) {
  return guarded_call([&] { required(block, "block").block.after({later}, {earlier}); });
}

int plait_grains_after_each(plait_grains* block, int later, int earlier) {
  return guarded_call([&] { required(block, "block").block.after_each({later}, {earlier}); });
}

int plait_grains_run(plait_grains* block) {
  return guarded_call([&] { required(block, "block").block.run(); });
}

const char* plait_grains_graph(plait_grains* block) {
  const int status = guarded_call([&] {
    required(block, "block");
    block->graph = block->block.graph();
  });
  return status == PLAIT_SUCCESS ? block->graph.c_str() : nullptr;
}

int plait_grains_last_times(const plait_grains* block, plait_grains_times* times) {
  return guarded_call([&] {
    const plait::GrainTimes from = required(block, "block").block.times();
    required(times, "times") = {from.total_s, from.before_s,  from.communicating_s, from.waiting_s,
                                from.grain_s, from.message_s, from.before};
  });
}

int plait_grains_before(int grains, int messages, int threads, double grain_s, double message_s) {
  return plait::grains_before(grains, messages, threads, grain_s, message_s);
}

int plait_measure_exchange(MPI_Comm comm, int partner,
                           plait_exchange_speed speeds[PLAIT_EXCHANGE_SIZES]) {
  return guarded_call([&] {
    plait::c_api::agreed(comm, [&] { required(speeds, "speeds"); });
    for (const plait::ExchangeSpeed& one : plait::measure_exchange(comm, partner)) {
      *speeds++ = {one.bytes, one.bytes_per_s};
    }
  });
}

int plait_measure_exchange_f(MPI_Fint comm, int partner,
                             plait_exchange_speed speeds[PLAIT_EXCHANGE_SIZES]) {
  return plait_measure_exchange(MPI_Comm_f2c(comm), partner, speeds);
}

double plait_grain_bytes(const plait_exchange_speed* speeds, int count) {
  std::vector<plait::ExchangeSpeed> all;
  for (int i = 0; speeds != nullptr && i < count; ++i) {
    all.push_back({speeds[i].bytes, speeds[i].bytes_per_s});
  }
  return plait::grain_bytes(all);
}

}  // extern "C"
