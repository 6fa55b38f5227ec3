// SPDX-License-Identifier: BSD-3-Clause
// Reading the memory of another process.
#include "transport/foreign_memory.hpp"

#include <sys/uio.h>

#include <cerrno>

namespace plait::transport {

bool read_foreign(int32_t process, void* into, const void* from, uint64_t bytes) noexcept {
  auto* to = static_cast<std::byte*>(into);
  auto* source = const_cast<std::byte*>(static_cast<const std::byte*>(from));
  while (bytes > 0) {
    const iovec local{to, bytes}, remote{source, bytes};
    const ssize_t read = process_vm_readv(process, &local, 1, &remote, 1, 0);
    if (read < 0 && errno == EINTR) continue;
    if (read <= 0) return false;
    to += read;
    source += read;
    bytes -= static_cast<uint64_t>(read);
  }
  return true;
}

}  // namespace plait::transport
