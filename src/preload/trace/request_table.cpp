// SPDX-License-Identifier: BSD-3-Clause
// The table of requests: chains of nodes, in the order in which they were kept.
#include "preload/trace/request_table.hpp"

#include "preload/recorder.hpp"

namespace plait::preload::trace {

int64_t statuses_wanted;

namespace {

constexpr int kPartBits = 4, kChainBits = 8;
constexpr uint64_t kBlockBytes = 64 << 10;
constexpr uint64_t kMostBlocks = 1 << 12;  // of the process: 256 MiB

struct Node {
  Word key;
  Node* next;
  Request request;
};

struct Chain {
  Node *first, *last;
};

struct alignas(64) Part {
  int lock;
  Node* free;
};

Part parts[1 << kPartBits];
Chain chains[1 << (kPartBits + kChainBits)];  // the upper bits of the index are the part's
uint64_t blocks;
bool threads;

class Hold {
public:
  explicit Hold(Part& part) : part_(__builtin_expect(threads, 0) ? &part : nullptr) {
    if (!part_) return;
    while (__atomic_exchange_n(&part_->lock, 1, __ATOMIC_ACQUIRE)) {
    }
  }
  ~Hold() {
    if (part_) __atomic_store_n(&part_->lock, 0, __ATOMIC_RELEASE);
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

private:
  Part* part_;
};

// A message and a request may have equal handles.
Word key_of(Word handle, bool message) {
  return (handle << 1) + (message ? 1 : 0);
}

Chain& chain_of(Word key) {
  return chains[(key * 0x9e3779b97f4a7c15u) >> (64 - kPartBits - kChainBits)];
}

Part& part_of(const Chain& chain) {
  return parts[static_cast<uint64_t>(&chain - chains) >> kChainBits];
}

bool wants_status(uint32_t flags) {
  return flags & (kWildcard | kCancelled);
}

void want_statuses(int64_t more) {
  if (more) __atomic_add_fetch(&statuses_wanted, more, __ATOMIC_RELAXED);
}

bool make_nodes(Part& part) {
  if (__atomic_add_fetch(&blocks, 1, __ATOMIC_RELAXED) > kMostBlocks) return false;
  auto* nodes = static_cast<Node*>(map_pages(kBlockBytes));
  if (!nodes) return false;
  for (uint64_t i = kBlockBytes / sizeof(Node); i-- > 0;) {
    nodes[i].next = part.free;
    part.free = &nodes[i];
  }
  return true;
}

struct Found {
  Node *before, *node;
};

Found find(const Chain& chain, Word key) {
  Node* before = nullptr;
  for (Node* node = chain.first; node; before = node, node = node->next)
    if (node->key == key) return {before, node};
  return {nullptr, nullptr};
}

void unlink(Part& part, Chain& chain, const Found& found) {
  Node* node = found.node;
  (found.before ? found.before->next : chain.first) = node->next;
  if (chain.last == node) chain.last = found.before;
  node->next = part.free;
  part.free = node;
}

// Calls `change` on the oldest request of the handle, and removes it if that returns true.
template <class Change>
bool with_oldest(Word handle, bool message, Change change) {
  const Word key = key_of(handle, message);
  Chain& chain = chain_of(key);
  Part& part = part_of(chain);
  Hold hold(part);
  const Found found = find(chain, key);
  if (!found.node) return false;
  if (change(found.node->request)) {
    if (wants_status(found.node->request.flags)) want_statuses(-1);
    unlink(part, chain, found);
  }
  return true;
}

}  // namespace

void keep(Word handle, const Request& request) {
  const Word key = key_of(handle, request.flags & kMessage);
  Chain& chain = chain_of(key);
  Part& part = part_of(chain);
  Hold hold(part);
  if (__builtin_expect(!part.free, 0) && !make_nodes(part)) return;
  Node* node = part.free;
  part.free = node->next;
  *node = {key, nullptr, request};
  (chain.last ? chain.last->next : chain.first) = node;
  chain.last = node;
  if (wants_status(request.flags)) want_statuses(1);
}

bool end(Word handle, bool message, Request* found) {
  return with_oldest(handle, message, [found](Request& request) {
    *found = request;
    const bool persistent = request.flags & kPersistent;
    if (persistent) {
      request.number = 0;
      if ((request.flags & kCancelled) && !(request.flags & kWildcard)) want_statuses(-1);
      request.flags &= ~uint32_t{kCancelled};
    }
    return !persistent;
  });
}

bool remove(Word handle, bool message, Request* found) {
  return with_oldest(handle, message, [found](Request& request) {
    *found = request;
    return true;
  });
}

bool activate(Word handle, uint64_t number, uint32_t thread, Request* found) {
  return with_oldest(handle, false, [=](Request& request) {
    request.number = number;
    request.thread = thread;
    *found = request;
    return false;
  });
}

void cancel(Word handle) {
  with_oldest(handle, false, [](Request& request) {
    if (!wants_status(request.flags)) want_statuses(1);
    request.flags |= kCancelled;
    return false;
  });
}

void expect_threads() {
  threads = true;
}

void forget_requests() {
  threads = false;
}

}  // namespace plait::preload::trace
