// SPDX-License-Identifier: BSD-3-Clause
// Declares the tasks of a block.
#include "plait/grains.hpp"

#include <algorithm>
#include <utility>

#include "plait/error.hpp"
#include "solve/grains/grain_state.hpp"

namespace plait {
namespace {

std::string what_of(const std::string& name) {
  return "grain block \"" + name + "\"";
}

/// @throws Error when MPI was initialized with a lower thread level than the options need
void check_thread_level(const std::string& name, const GrainOptions& options) {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0) return;  // a block without communication needs no MPI
  int granted = MPI_THREAD_SINGLE;
  MPI_Query_thread(&granted);
  const char* needed = nullptr;
  if (options.channels > 1 && granted < MPI_THREAD_MULTIPLE) needed = "MPI_THREAD_MULTIPLE";
  if (options.communicating == CommunicatingThread::first && granted < MPI_THREAD_SERIALIZED) {
    needed = "MPI_THREAD_SERIALIZED";
  }
  if (needed == nullptr) return;
  throw Error(what_of(name), std::string("MPI does not grant ") + needed,
              std::string("request ") + needed +
                  " from MPI_Init_thread, or use one channel and the master thread");
}

}  // namespace

GrainBlock::GrainBlock(std::string name, const GrainOptions& options)
    : state_(std::make_unique<State>()) {
  if (options.threads < 0 || options.channels < 1 || options.grains_before < -1) {
    throw Error(what_of(name), "a number of threads, channels or grains is out of range",
                "give at least 1 channel, and 0 for OpenMP's number of threads");
  }
  check_thread_level(name, options);
  state_->name = std::move(name);
  state_->options = options;
}

GrainBlock::~GrainBlock() = default;
GrainBlock::GrainBlock(GrainBlock&&) noexcept = default;
GrainBlock& GrainBlock::operator=(GrainBlock&&) noexcept = default;

GrainBlock::Task GrainBlock::compute(const std::string& name, int grains, Run run) {
  return state_->add(name, State::Kind::grains, grains, std::move(run), nullptr);
}

GrainBlock::Task GrainBlock::compute_in_order(const std::string& name, int parts, Run run) {
  return state_->add(name, State::Kind::in_order, parts, std::move(run), nullptr);
}

GrainBlock::Task GrainBlock::communicate(const std::string& name, int parts, Run run) {
  return state_->add(name, State::Kind::communication, parts, std::move(run), nullptr);
}

GrainBlock::Task GrainBlock::begin_communication(const std::string& name, int parts, Begin begin) {
  return state_->add(name, State::Kind::communication, parts, nullptr, std::move(begin));
}

GrainBlock::Task GrainBlock::State::add(const std::string& task, Kind kind, int parts, Run run,
                                        Begin begin) {
  if (parts < 0) {
    throw Error(what_of(name), "task \"" + task + "\" has a negative number of parts",
                "give 0 or more");
  }
  auto work = std::make_unique<Work>(task, kind, parts);
  work->run = std::move(run);
  work->begin = std::move(begin);
  std::vector<Part>& list = kind == Kind::grains ? grains : in_order;
  for (int part = 0; part < parts; ++part) list.push_back({work.get(), part});
  works.push_back(std::move(work));
  return {static_cast<int>(works.size()) - 1};
}

void GrainBlock::State::depend(Task later, Task earlier, bool each) {
  const auto count = static_cast<int>(works.size());
  if (earlier.index < 0 || later.index >= count || earlier.index >= later.index) {
    throw Error(what_of(name), "a task depends on one that is not declared before it",
                "declare tasks in the order in which they can run");
  }
  Work& work = *works[static_cast<std::size_t>(later.index)];
  const Work& other = *works[static_cast<std::size_t>(earlier.index)];
  if (each && work.parts != other.parts) {
    throw Error(what_of(name),
                "\"" + work.name + "\" has " + std::to_string(work.parts) + " parts and \"" +
                    other.name + "\" " + std::to_string(other.parts),
                "give both the same number, or use after()");
  }
  work.after.push_back({earlier.index, each});
}

void GrainBlock::on_progress(std::function<void()> progress) {
  state_->progress = std::move(progress);
}

void GrainBlock::after(Task later, Task earlier) {
  state_->depend(later, earlier, false);
}

void GrainBlock::after_each(Task later, Task earlier) {
  state_->depend(later, earlier, true);
}

bool GrainBlock::State::is_ready(const Part& part) const {
  return std::all_of(part.work->after.begin(), part.work->after.end(),
                     [&](const Dependency& dependency) {
                       const Work& earlier = *works[static_cast<std::size_t>(dependency.earlier)];
                       if (!dependency.each) {
                         return earlier.complete.load(std::memory_order_acquire) == earlier.parts;
                       }
                       return earlier.flags[static_cast<std::size_t>(part.number)].load(
                                  std::memory_order_acquire) == run_number;
                     });
}

void GrainBlock::State::complete(const Part& part) {
  part.work->flags[static_cast<std::size_t>(part.number)].store(run_number,
                                                                std::memory_order_release);
  part.work->complete.fetch_add(1, std::memory_order_acq_rel);
}

GrainTimes GrainBlock::times() const {
  return state_->times;
}

std::string GrainBlock::graph() const {
  std::string text = "digraph \"" + state_->name + "\" {\n";
  for (std::size_t i = 0; i < state_->works.size(); ++i) {
    const State::Work& work = *state_->works[i];
    const bool computes = work.kind != State::Kind::communication;
    text += "  " + std::to_string(i) + " [label=\"" + work.name;
    if (work.parts != 1) text += "\\n" + std::to_string(work.parts) + " parts";
    text += computes ? "\", shape=box" : "\", shape=ellipse";
    if (work.kind == State::Kind::in_order) text += ", style=dashed";
    text += "];\n";
  }
  for (std::size_t i = 0; i < state_->works.size(); ++i) {
    for (const State::Dependency& dependency : state_->works[i]->after) {
      text += "  " + std::to_string(dependency.earlier) + " -> " + std::to_string(i);
      text += dependency.each ? " [label=\"each\"];\n" : ";\n";
    }
  }
  return text + "}\n";
}

}  // namespace plait
