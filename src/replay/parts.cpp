// SPDX-License-Identifier: BSD-3-Clause
// Replays a program in parts, on several threads and processes.
#include "replay/parts.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/combine.hpp"
#include "base/parallel.hpp"
#include "base/plain_bytes.hpp"
#include "plait/error.hpp"
#include "replay/engine.hpp"

namespace plait::replay {
namespace {

using std::uint32_t;

/// More threads than this gain little: they wait for each other after each round.
constexpr std::size_t kMostThreads = 16;

/// A round takes some microseconds. After so many of them, with fewer steps in each than one thread
/// does in that time, one thread does the rest sooner.
constexpr std::uint64_t kTriedRounds = 1000;
constexpr std::uint64_t kWorthwhileSteps = 100;

/// The replay of this process: its own parts, which have the first numbers; each other process is
/// one part to them.
class Parts {
public:
  Parts(Program& program, const Network& network, const ReplayOptions& options, std::size_t own)
      : program_(program), options_(options), own_(own), crew_(static_cast<unsigned>(own)) {
    find_owners();
    prepare(program, options);
    const std::size_t all = own_ + size_of(options.processes);
    parts_.reserve(own_);
    for (uint32_t number = 0; number < own_; ++number) {
      parts_.emplace_back(owners_, number, static_cast<uint32_t>(all));
    }
    engines_.resize(own_);
    crew_.for_each_index(own_, [&](std::size_t part) {
      engines_[part] = std::make_unique<Engine>(program, network, options, &parts_[part]);
    });
    inbox_.resize(own_);
    from_others_.resize(own_);
    for (auto& of : inbox_) of.resize(own_);
  }

  /// @returns whether it came to the end; false: it is not worthwhile
  bool run() {
    for (std::uint64_t rounds = 1;; ++rounds) {
      crew_.for_each_index(own_, [&](std::size_t part) { do_round(part); });
      const Progress progress = exchange();
      if (progress.posts == 0) return true;
      if (program_.is_part()) continue;
      if (rounds >= kTriedRounds && progress.steps < rounds * kWorthwhileSteps) return false;
    }
  }

  /// Collective.
  ReplayResult result() {
    ReplayResult all = merged();
    if (size_of(options_.processes) == 1) return all;
    BytesWriter own;
    own(all.events, all.messages, all.stuck, all.ranks, all.other_threads);
    ReplayResult sum;
    const std::vector<std::string> texts = options_.processes->exchange(own.take());
    for (const std::string& text : texts) {
      ReplayResult of;
      BytesReader reader(text);
      reader(of.events, of.messages, of.stuck, of.ranks, of.other_threads);
      add(std::move(of), sum);
    }
    return finished(std::move(sum));
  }

private:
  struct Progress {
    std::uint64_t posts = 0;  ///< of the round
    std::uint64_t steps = 0;  ///< of all rounds
  };

  void find_owners() {
    const std::size_t ranks = program_.ranks();
    std::vector<uint32_t> of_rank(ranks);
    for (std::size_t process = 0; process < size_of(options_.processes); ++process) {
      const IndexRange range = ranks_of_process(ranks, options_, process);
      const bool here = process == rank_of(options_.processes);
      const std::size_t count = range.last - range.first;
      for (std::size_t rank = range.first; rank < range.last; ++rank) {
        of_rank[rank] =
            static_cast<uint32_t>(here ? (rank - range.first) * own_ / count : own_ + process);
      }
    }
    owners_.resize(program_.threads());
    for (uint32_t thread = 0; thread < owners_.size(); ++thread) {
      owners_[thread] = of_rank[program_.rank_of(thread)];
    }
  }

  void do_round(std::size_t number) {
    Engine& engine = *engines_[number];
    for (std::vector<Post>& posts : inbox_[number]) {
      for (const Post& post : posts) engine.take(post);
      posts.clear();
    }
    for (const Post& post : from_others_[number]) engine.take(post);
    from_others_[number].clear();
    engine.go_on();
  }

  /// Between rounds: brings what the parts tell each other into their inboxes.
  Progress exchange() {
    Progress progress;
    for (uint32_t from = 0; from < own_; ++from) {
      progress.steps += engines_[from]->steps();
      std::vector<std::vector<Post>>& out = parts_[from].out();
      for (const std::vector<Post>& posts : out) progress.posts += posts.size();
      for (std::size_t to = 0; to < own_; ++to) out[to].swap(inbox_[to][from]);
    }
    return size_of(options_.processes) > 1 ? exchange_with_others(progress) : progress;
  }

  Progress exchange_with_others(const Progress& own) {
    std::vector<std::string> texts;
    for (std::size_t process = 0; process < size_of(options_.processes); ++process) {
      BytesWriter writer;
      writer(own);
      for (Part& part : parts_) {
        std::vector<Post>& posts = part.out()[own_ + process];
        writer(posts);
        posts.clear();
      }
      texts.push_back(writer.take());
    }
    Progress sum;
    std::vector<Post> posts;
    for (const std::string& text : options_.processes->swap(std::move(texts))) {
      BytesReader reader(text);
      Progress of;
      reader(of);
      sum.posts += of.posts;
      sum.steps += of.steps;
      while (reader.more()) {
        reader(posts);
        for (const Post& post : posts) pass_on(post);
      }
    }
    return sum;
  }

  /// What another process tells concerns the part of a message's rank here; an arrival may concern
  /// all.
  void pass_on(const Post& post) {
    if (post.kind == PostKind::arrival) {
      for (std::vector<Post>& posts : from_others_) posts.push_back(post);
      return;
    }
    const uint32_t thread =
        post.kind == PostKind::send ? post.envelope.destination : post.envelope.source;
    from_others_[owners_[thread]].push_back(post);
  }

  static void add(const RankTimes& one, RankTimes& sum) {
    sum.end += one.end;
    sum.compute += one.compute;
    sum.waiting += one.waiting;
    sum.overhead += one.overhead;
  }
  static void add(const std::vector<RankTimes>& some, std::vector<RankTimes>& sum) {
    sum.resize(some.size());
    for (std::size_t i = 0; i < some.size(); ++i) add(some[i], sum[i]);
  }

  /// Each rank has times in one of the results, and 0 in the others.
  static void add(ReplayResult some, ReplayResult& sum) {
    sum.events += some.events;
    sum.messages += some.messages;
    sum.stuck.insert(sum.stuck.end(), some.stuck.begin(), some.stuck.end());
    add(some.ranks, sum.ranks);
    add(some.other_threads, sum.other_threads);
  }

  ReplayResult merged() {
    ReplayResult sum;
    for (const std::unique_ptr<Engine>& engine : engines_) add(engine->result(), sum);
    return finished(std::move(sum));
  }

  static ReplayResult finished(ReplayResult of) {
    std::ranges::sort(of.stuck);
    for (const auto* times : {&of.ranks, &of.other_threads}) {
      for (const RankTimes& rank : *times) of.time_s = std::max(of.time_s, rank.end);
    }
    return of;
  }

  Program& program_;
  const ReplayOptions& options_;
  std::size_t own_;  ///< parts
  Crew crew_;
  std::vector<uint32_t> owners_;  ///< by thread
  std::vector<Part> parts_;
  std::vector<std::unique_ptr<Engine>> engines_;
  std::vector<std::vector<std::vector<Post>>> inbox_;  ///< by part and sending part
  std::vector<std::vector<Post>> from_others_;         ///< by part: from other processes
};

}  // namespace

IndexRange ranks_of_process(std::size_t ranks, const ReplayOptions& options, std::size_t process) {
  return share_of(ranks, std::max<uint32_t>(1, options.ranks_together), size_of(options.processes),
                  process);
}

void prepare(Program& program, const ReplayOptions& options) {
  program.rewind();
  if (options.step_times != nullptr) options.step_times->assign(program.threads(), {});
  if (options.step_lengths != nullptr) options.step_lengths->assign(program.threads(), {});
}

std::optional<ReplayResult> replay_in_parts(Program& program, const Network& network,
                                            const ReplayOptions& options) {
  const bool alone =
      size_of(options.processes) == 1 || program.ranks() <= std::size_t{options.ranks_together};
  const bool may_divide = Engine::may_divide(network);
  if (program.is_part() && (alone || !may_divide)) {
    throw Error(network.name, "the replay of a part of a trace needs the other parts",
                "replay the whole trace");
  }
  if (!may_divide) return {};
  const IndexRange here = ranks_of_process(program.ranks(), options, rank_of(options.processes));
  const std::size_t groups =
      (here.last - here.first) / std::max<uint32_t>(1, options.ranks_together);
  const std::size_t threads = options.threads == 0 ? usable_cpus() : options.threads;
  const std::size_t own = program.steps_at_once()
                              ? std::clamp<std::size_t>(groups, 1, std::min(threads, kMostThreads))
                              : 1;
  if (alone && own == 1) return {};
  Parts parts(program, network, options, own);
  if (!parts.run()) return {};
  return parts.result();
}

}  // namespace plait::replay
