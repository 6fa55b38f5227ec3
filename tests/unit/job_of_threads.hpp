// SPDX-License-Identifier: BSD-3-Clause
// A job whose processes are threads.
#pragma once

#include <barrier>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/processes.hpp"

namespace plait::test {

/// Processes of a job that are threads here.
class JobOfThreads {
public:
  explicit JobOfThreads(int size)
      : size_(size), meeting_(size), texts_(static_cast<std::size_t>(size)) {}

  class Member : public Processes {
  public:
    Member(JobOfThreads& job, int rank) : job_(job), rank_(rank) {}
    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return job_.size_; }
    std::vector<std::string> exchange(const std::string& own) override {
      return swap(std::vector<std::string>(static_cast<std::size_t>(size()), own));
    }
    std::vector<std::string> swap(std::vector<std::string> to) override {
      const auto self = static_cast<std::size_t>(rank_);
      job_.texts_[self] = std::move(to);
      job_.meeting_.arrive_and_wait();
      std::vector<std::string> from;
      for (const std::vector<std::string>& texts : job_.texts_) from.push_back(texts[self]);
      job_.meeting_.arrive_and_wait();
      return from;
    }

  private:
    JobOfThreads& job_;
    int rank_;
  };

  /// Calls work(processes) for each process, on a thread of its own.
  template <class Work>
  void run(Work work) {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size_; ++rank) {
      threads.emplace_back([this, rank, &work] {
        Member member(*this, rank);
        work(member);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

private:
  int size_;
  std::barrier<> meeting_;
  std::vector<std::vector<std::string>> texts_;  ///< from and to
};

}  // namespace plait::test
