// SPDX-License-Identifier: BSD-3-Clause
// This process as a member of its node: shared memory on which all ranks of the job agree.
#include "preload/transport/membership.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <new>
#include <string_view>
#include <utility>

#include "preload/node_file.hpp"
#include "preload/transport/info.hpp"
#include "preload/transport/job.hpp"
#include "preload/uncancelled.hpp"
#include "transport/segment.hpp"

namespace plait::preload::provider {
namespace {

constexpr long kLeastLookNs = 200'000, kMostLookNs = 5'000'000;  ///< between looks at the page
constexpr int kMostSeconds = 60;                                 ///< until the last rank comes

const char* variable(const char* name) {
  return std::getenv(name);
}

plait_transport_page* map_page(const std::string& path, uint32_t members) {
  const std::size_t bytes =
      offsetof(plait_transport_page, process) + members * sizeof(plait_transport_process);
  if (!transport::permits_file_of(bytes)) return nullptr;
  return static_cast<plait_transport_page*>(map_node_file(path.c_str(), bytes));
}

uint32_t state_of(const plait_transport_page& page) noexcept {
  return __atomic_load_n(&page.state, __ATOMIC_ACQUIRE);
}

bool change_state(plait_transport_page& page, uint32_t from, uint32_t to) noexcept {
  return __atomic_compare_exchange_n(&page.state, &from, to, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE);
}

/// Looks until `done` returns true. @return false after kMostSeconds
template <class Done>
bool look_until(Done done) noexcept {
  timespec begin{}, now{};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (long pause_ns = kLeastLookNs; !done();
       pause_ns = std::min(kMostLookNs, pause_ns + pause_ns / 4)) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec - begin.tv_sec > kMostSeconds) return false;
    uncancelled::sleep({0, pause_ns});
  }
  return true;
}

void copy_text(char* into, std::size_t bytes, const std::string& text) noexcept {
  const std::size_t length = std::min(text.size(), bytes - 1);
  std::memcpy(into, text.data(), length);
  into[length] = 0;
}

const transport::SegmentHeader& token_of(const transport::Node& node) {
  return *reinterpret_cast<const transport::SegmentHeader*>(node.segment().data());
}

/// MPICH and its like are built for one network, which need not be libfabric. Intel MPI and Open
/// MPI load libfabric later.
bool uses_other_network() noexcept {
  struct Loaded {
    char mpich[PATH_MAX];
    bool libfabric;
  } loaded{};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* into) {
        const std::string_view path = object->dlpi_name == nullptr ? "" : object->dlpi_name;
        const std::string_view name = path.substr(path.rfind('/') + 1);
        auto& found = *static_cast<Loaded*>(into);
        if (name.starts_with("libmpich.so") || name.starts_with("libmpi.so.12"))
          std::snprintf(found.mpich, sizeof found.mpich, "%s", object->dlpi_name);
        found.libfabric |= name.starts_with("libfabric");
        return 0;
      },
      &loaded);
  if (loaded.mpich[0] == 0 || loaded.libfabric) return false;
  void* const library = dlopen(loaded.mpich, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return true;
  char version[8192] = {};  // MPI_MAX_LIBRARY_VERSION_STRING of MPICH
  int length = 0;
  const auto library_version =
      reinterpret_cast<int (*)(char*, int*)>(dlsym(library, "PMPI_Get_library_version"));
  if (library_version != nullptr) library_version(version, &length);
  const bool contains_libfabric = dlsym(library, "fi_getinfo") != nullptr;
  dlclose(library);
  return !contains_libfabric && std::strstr(version, "Intel") == nullptr;
}

/// The provider has one endpoint per process.
const char* variable_for_several_endpoints() noexcept {
  for (const char* name : {"MPIR_CVAR_CH4_NUM_VCIS", "I_MPI_THREAD_SPLIT"}) {
    const char* const text = std::getenv(name);
    const int least = std::strcmp(name, "I_MPI_THREAD_SPLIT") == 0 ? 1 : 2;
    if (text != nullptr && std::atoi(text) >= least) return name;
  }
  return nullptr;
}

std::atomic<Membership*> only = nullptr;

constexpr const char* kAddressFormat = "%s://%016" PRIx64 "%016" PRIx64 "/%08x";

}  // namespace

bool Membership::form(const char* objection, unsigned habits) noexcept {
  // Never deleted: other threads may use it while the process ends.
  static Membership* const joined = join(objection).release();
  if (joined != nullptr) joined->habits_ = habits;
  only.store(joined, std::memory_order_release);
  return joined != nullptr;
}

Membership* Membership::of_process() noexcept {
  return only.load(std::memory_order_acquire);
}

std::unique_ptr<Membership> Membership::join(const char* objection) noexcept {
  std::unique_ptr<Membership> membership(new (std::nothrow) Membership);
  if (membership == nullptr) return nullptr;
  try {
    if (membership->come(objection) && membership->enter() && membership->agree())
      return membership;
  } catch (const std::exception& error) {
    if (membership->page_ != nullptr) membership->refuse(error.what());
  }
  return nullptr;
}

/// Comes to the page of the job. @return false if the job cannot use the transport
bool Membership::come(const char* objection) {
  const char* const folder = std::getenv("PLAIT_RECORDS");
  if (folder == nullptr || *folder == 0) return false;
  const Job job = job_of(variable);
  char boot[64];
  if (job.ranks == 0 || !read_boot(boot, sizeof boot)) return false;
  const uint32_t members = std::clamp<uint32_t>(job.local_ranks, 1, PLAIT_TRANSPORT_PROCESSES);
  page_ =
      map_page(std::string(folder) + "/" + boot + "-" + job.key + PLAIT_TRANSPORT_SUFFIX, members);
  if (page_ == nullptr) return false;
  self_ = __atomic_fetch_add(&page_->processes, 1u, __ATOMIC_RELAXED);
  if (self_ == 0) {
    page_->version = PLAIT_TRANSPORT_VERSION;
    page_->members = members;
    gethostname(page_->host, sizeof page_->host - 1);
    const char* const design = std::getenv("PLAIT_TRANSPORT");
    copy_text(page_->design, sizeof page_->design, design == nullptr ? "auto" : design);
    __atomic_store_n(&page_->magic, PLAIT_TRANSPORT_MAGIC, __ATOMIC_RELEASE);
  }
  std::string reason = refusal_of(job);
  if (reason.empty()) reason = objection;
  if (reason.empty() && uses_other_network()) reason = "the MPI library does not use libfabric";
  const char* const several = variable_for_several_endpoints();
  if (reason.empty() && several != nullptr)
    reason = std::string(several) + " asks for several endpoints in a process";
  if (reason.empty() && self_ >= members) reason = "the job has more processes than ranks";
  if (!reason.empty()) {
    refuse(reason);
    return false;
  }
  entry().pid = static_cast<int32_t>(getpid());
  note_cpus_in(entry().cpus, PLAIT_TRANSPORT_CPU_SETS);
  return true;
}

/// Enters the node. @return false if another process cannot
bool Membership::enter() {
  using transport::Node;
  if (self_ == 0) {
    const transport::Design& design = transport::design_of(page_->design);
    node_.reset(new Node(transport::create_node(design, page_->members)));
    copy_text(page_->address, sizeof page_->address, node_->address());
    if (!change_state(*page_, PLAIT_TRANSPORT_BEGUN, PLAIT_TRANSPORT_OPEN)) return false;
  } else {
    if (!look_until([&] { return state_of(*page_) != PLAIT_TRANSPORT_BEGUN; })) {
      refuse("the first process has not created the shared memory");
    }
    if (state_of(*page_) != PLAIT_TRANSPORT_OPEN) return false;
    node_.reset(new Node(Node::open(page_->address)));
  }
  queues_ = transport::join(*node_, self_);
  return true;
}

/// Waits until all have entered, or one of them refuses. @return true if all use the transport
bool Membership::agree() noexcept {
  const bool in_time =
      look_until([&] { return state_of(*page_) != PLAIT_TRANSPORT_OPEN || node_->all_entered(); });
  if (in_time) {
    change_state(*page_, PLAIT_TRANSPORT_OPEN, PLAIT_TRANSPORT_FORMED);
  } else {
    refuse("a rank has not come");
  }
  return state_of(*page_) == PLAIT_TRANSPORT_FORMED;
}

void Membership::refuse(const std::string& reason) noexcept {
  if (!change_state(*page_, PLAIT_TRANSPORT_BEGUN, PLAIT_TRANSPORT_REFUSING) &&
      !change_state(*page_, PLAIT_TRANSPORT_OPEN, PLAIT_TRANSPORT_REFUSING))
    return;
  copy_text(page_->reason, sizeof page_->reason, reason);
  change_state(*page_, PLAIT_TRANSPORT_REFUSING, PLAIT_TRANSPORT_REFUSED);
}

transport::WaitPolicy Membership::wait_policy() const noexcept {
  int cpus = 0;
  for (int word = 0; word < PLAIT_TRANSPORT_CPU_SETS; ++word) {
    uint64_t all = 0;
    for (uint32_t member = 0; member < page_->members; ++member)
      all |= page_->process[member].cpus[word];
    cpus += std::popcount(all);
  }
  return transport::WaitPolicy::automatic(page_->members, static_cast<uint32_t>(cpus));
}

std::string Membership::address(uint32_t member) const {
  char text[kAddressBytes] = {};
  const transport::SegmentHeader& token = token_of(*node_);
  std::snprintf(text, sizeof text, kAddressFormat, kName, token.token[0], token.token[1], member);
  return text;
}

bool Membership::find(const char* address, uint32_t& member) const noexcept {
  char scheme[8] = {};
  uint64_t token[2] = {};
  unsigned number = 0;
  if (std::sscanf(address, "%7[a-z]://%16" SCNx64 "%16" SCNx64 "/%8x", scheme, &token[0], &token[1],
                  &number) != 4)
    return false;
  const transport::SegmentHeader& own = token_of(*node_);
  if (std::strcmp(scheme, kName) != 0 || token[0] != own.token[0] || token[1] != own.token[1] ||
      number >= node_->members())
    return false;
  member = number;
  return true;
}

}  // namespace plait::preload::provider
