// SPDX-License-Identifier: BSD-3-Clause
// NVTX ranges (github.com/NVIDIA/NVTX) as regions: NVTX loads the object that NVTX_INJECTION64_PATH
// names, which plait run sets to this one, and asks it for its functions.
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "preload/recorder.hpp"
#include "preload/regions/regions.hpp"

namespace plait::preload {

namespace {

// From nvtxTypes.h, which has been the same since NVTX 2.
constexpr uint32_t kCallbacks = 1;  // NVTX_ETID_CALLBACKS
constexpr int kCore = 1, kCore2 = 5;
constexpr unsigned kRangePushEx = 8, kRangePushA = 9, kRangePushW = 10, kRangePop = 11;
constexpr unsigned kDomainRangePushEx = 4, kDomainRangePop = 5, kDomainRegisterStringA = 10;
constexpr int kAscii = 1, kUnicode = 2, kRegistered = 3;  // nvtxMessageType_t

struct Attributes {  // nvtxEventAttributes_t
  uint16_t version, size;
  uint32_t category;
  int32_t colour_type;
  uint32_t colour;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  const void* message;
};

using Function = void (*)();
struct Callbacks {  // NvtxExportTableCallbacks
  size_t bytes;
  int (*functions)(int module, Function*** table, unsigned* size);
};

__attribute__((tls_model("initial-exec"))) __thread int level;

// As nvtxRangePush: the number of ranges around this one.
int push(const char* name) {
  region_enter(name ? name : "(range)");
  return level++;
}

int push_wide(const wchar_t* name) {
  char text[128];
  size_t length = 0;
  for (; name && name[length] && length < sizeof text - 1; ++length)
    text[length] =
        name[length] > L' ' - 1 && name[length] < 127 ? static_cast<char>(name[length]) : '?';
  text[length] = '\0';
  return push(text);
}

int push_attributes(const Attributes* of) {
  if (!of) return push(nullptr);
  if (of->message_type == kUnicode) return push_wide(static_cast<const wchar_t*>(of->message));
  const bool is_text = of->message_type == kAscii || of->message_type == kRegistered;
  return push(is_text ? static_cast<const char*>(of->message) : nullptr);
}

int pop() {
  if (level == 0) return -1;
  region_leave(nullptr);
  return --level;
}

int push_in_domain(void*, const Attributes* of) {
  return push_attributes(of);
}

int pop_in_domain(void*) {
  return pop();
}

// The handle of a registered string is its text in the record, which stays where it is.
const void* register_string(void*, const char* text) {
  const uint32_t offset = add_string(text);
  return offset ? entry_at<char>(PLAIT_SECTION_STRINGS, offset) : nullptr;
}

template <class F>
void set(Function** table, unsigned size, unsigned at, F function) {
  if (at < size && table[at]) *table[at] = reinterpret_cast<Function>(function);
}

}  // namespace

extern "C" __attribute__((visibility("default"), used)) int InitializeInjectionNvtx2(
    const void* (*export_table)(uint32_t)) {
  const auto* callbacks = static_cast<const Callbacks*>(export_table(kCallbacks));
  Function** table = nullptr;
  unsigned size = 0;
  if (!callbacks || !callbacks->functions(kCore, &table, &size) || !table) return 0;
  set(table, size, kRangePushEx, push_attributes);
  set(table, size, kRangePushA, push);
  set(table, size, kRangePushW, push_wide);
  set(table, size, kRangePop, pop);
  if (!callbacks->functions(kCore2, &table, &size) || !table) return 1;
  set(table, size, kDomainRangePushEx, push_in_domain);
  set(table, size, kDomainRangePop, pop_in_domain);
  set(table, size, kDomainRegisterStringA, register_string);
  return 1;
}

}  // namespace plait::preload
