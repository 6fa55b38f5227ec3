// SPDX-License-Identifier: BSD-3-Clause
// Completion queues: what has become of sends and receives.
#pragma once

#include <rdma/fi_domain.h>
#include <rdma/fi_eq.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plait::preload::provider {

class Endpoint;

/// A send or receive that is complete, or has failed.
struct Completion {
  void* context;
  uint64_t flags;
  std::size_t length;
  void* data;
  uint64_t note, tag;
  fi_addr_t from;
  int error;           ///< FI_E...; 0: none
  std::size_t beyond;  ///< bytes for which there was no room
};

/// Grows as needed: MPI libraries bound what is under way themselves. Room is made before an
/// operation begins, so that no completion is lost when memory is short.
class CompletionQueue {
public:
  fid_cq fid{};  ///< first: libfabric's pointer to it is one to this object

  /// @throws std::bad_alloc
  static int open(fid_domain* domain, fi_cq_attr* attributes, fid_cq** queue, void* context);

  /// An endpoint makes progress when the queue is read.
  void attach(Endpoint& endpoint) { endpoint_ = &endpoint; }
  void detach() noexcept { endpoint_ = nullptr; }

  // All of these with the lock of the endpoint.

  /// Makes room for a completion that comes later. @throws std::bad_alloc
  void reserve();
  /// It does not come.
  void forgo() noexcept { --reserved_; }
  void push_reserved(const Completion& completion) noexcept;

  /// @throws std::bad_alloc
  void push(const Completion& completion) {
    reserve();
    push_reserved(completion);
  }

  [[nodiscard]] bool empty() const noexcept { return put_ == taken_; }

private:
  [[nodiscard]] Completion& at(std::size_t number) noexcept {
    return ring_[number & (ring_.size() - 1)];
  }
  ssize_t read(void* into, std::size_t count, fi_addr_t* from);
  ssize_t take(void* into, std::size_t count, fi_addr_t* from) noexcept;
  ssize_t read_error(fi_cq_err_entry& into) noexcept;

  fi_cq_format format_ = FI_CQ_FORMAT_CONTEXT;
  Endpoint* endpoint_ = nullptr;
  std::vector<Completion> ring_ = std::vector<Completion>(1024);
  std::size_t put_ = 0, taken_ = 0;
  std::size_t reserved_ = 0;
  bool gave_some_ = false;  ///< by the last read

  friend struct QueueOperations;
};

}  // namespace plait::preload::provider
