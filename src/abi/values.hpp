// SPDX-License-Identifier: BSD-3-Clause
// Constants that MPI defines as addresses or handles, in a form that needs no MPI library.
#pragma once

#include <stdint.h>

#include <type_traits>

namespace plait::mpi {

/// A constant address, such as MPI_IN_PLACE.
struct Address {
  uintptr_t value;

  template <class Type>
  operator Type*() const {  // NOLINT(google-explicit-constructor): used like the macro
    return reinterpret_cast<Type*>(value);
  }
  template <class Type>
  friend bool operator==(Type* pointer, Address address) {
    return reinterpret_cast<uintptr_t>(pointer) == address.value;
  }
};

/// A predefined handle with the same value in every library of the ABI.
template <class Handle>
struct NumberedHandle {
  using Type = Handle;
  uintptr_t value;

  [[nodiscard]] Handle handle() const {
    if constexpr (std::is_pointer_v<Handle>) {
      return reinterpret_cast<Handle>(value);
    } else {
      return static_cast<Handle>(value);
    }
  }
};

/// A predefined handle that is the address of a datum in the library.
template <class Handle>
struct NamedHandle {
  using Type = Handle;
  const char* symbol;
};

}  // namespace plait::mpi
