// SPDX-License-Identifier: BSD-3-Clause
// Address vectors: numbers that the MPI library uses for members of the node.
#include "preload/transport/address_vector.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "preload/transport/guarded.hpp"
#include "preload/transport/info.hpp"
#include "preload/transport/unsupported.hpp"

namespace plait::preload::provider {
namespace {

AddressVector& vector_of(fid_av* fid) {
  return *reinterpret_cast<AddressVector*>(fid);
}

}  // namespace

struct VectorOperations {
  static int insert(fid_av* av, const void* addresses, std::size_t count, fi_addr_t* numbers,
                    uint64_t, void*) noexcept {
    return guarded([&] { return vector_of(av).insert(addresses, count, numbers); });
  }
  static int remove(fid_av* av, fi_addr_t* numbers, std::size_t count, uint64_t) noexcept {
    return vector_of(av).remove(numbers, count);
  }
  static int look_up(fid_av* av, fi_addr_t number, void* address, std::size_t* bytes) noexcept {
    return guarded([&] { return vector_of(av).look_up(number, address, bytes); });
  }
  static const char* text(fid_av*, const void* address, char* into, std::size_t* bytes) noexcept {
    if (*bytes > 0) {
      std::strncpy(into, static_cast<const char*>(address), *bytes - 1);
      into[*bytes - 1] = 0;
    }
    *bytes = std::strlen(static_cast<const char*>(address)) + 1;
    return into;
  }
  static int bind(fid*, fid*, uint64_t) noexcept { return FI_SUCCESS; }
  static int close_object(fid* fid) noexcept {
    delete reinterpret_cast<AddressVector*>(fid);
    return FI_SUCCESS;
  }

  fi_ops object{};
  fi_ops_av vector{};

  VectorOperations() {
    object.size = sizeof object;
    object.close = close_object;
    object.bind = bind;
    unsupported(object.control, object.ops_open, object.tostr, object.ops_set);
    vector.size = sizeof vector;
    vector.insert = insert;
    vector.remove = remove;
    vector.lookup = look_up;
    vector.straddr = text;
    unsupported(vector.insertsvc, vector.insertsym, vector.av_set);
  }
};

int AddressVector::open(Membership& membership, fid_av** vector, void* context) {
  static VectorOperations operations;
  auto* const made = new AddressVector(membership);
  made->fid.fid = {FI_CLASS_AV, context, &operations.object};
  made->fid.ops = &operations.vector;
  *vector = &made->fid;
  return FI_SUCCESS;
}

int AddressVector::insert(const void* addresses, std::size_t count, fi_addr_t* numbers) {
  int inserted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    char address[kAddressBytes];
    std::memcpy(address, static_cast<const char*>(addresses) + i * kAddressBytes, sizeof address);
    address[sizeof address - 1] = 0;
    uint32_t member = 0;
    fi_addr_t number = FI_ADDR_NOTAVAIL;
    if (membership_.find(address, member)) {
      number = numbers_.insert(member);
      ++inserted;
    }
    if (numbers != nullptr) numbers[i] = number;
  }
  if (inserted < static_cast<int>(count)) {
    std::fputs(
        "plait: --transport reaches only the ranks that were started together; run programs that "
        "start or connect to others without it\n",
        stderr);
  }
  return inserted;
}

int AddressVector::remove(const fi_addr_t* numbers, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    if (!numbers_.remove(numbers[i])) return -FI_EINVAL;
  }
  return FI_SUCCESS;
}

int AddressVector::look_up(fi_addr_t number, void* address, std::size_t* bytes) const {
  uint32_t member = 0;
  if (!this->member(number, member)) return -FI_EINVAL;
  const std::string text = membership_.address(member);
  std::memcpy(address, text.c_str(), std::min(*bytes, text.size() + 1));
  *bytes = kAddressBytes;
  return FI_SUCCESS;
}

}  // namespace plait::preload::provider
