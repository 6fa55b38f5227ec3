// SPDX-License-Identifier: BSD-3-Clause
// What the functions of plait.h share: handles, checks of what they are given, and the turning of
// exceptions into codes.
#pragma once

#include <mpi.h>

#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plait/cartesian_grid.hpp"
#include "plait/environment.hpp"
#include "plait/error.hpp"
#include "plait/field.hpp"
#include "plait/halo.hpp"
#include "plait/plait.h"
#include "plait/stepper.hpp"

// The handles of plait.h. Texts are kept beside what they tell of, so that C can hold on to them.
struct plait_grid {
  plait::CartesianGrid grid;
  std::string report{};
};

struct plait_field {
  plait::detail::FieldMemory memory;
};

struct plait_halo {
  plait::Halo halo;
};

struct plait_stepper {
  plait::Stepper stepper;
  std::string schedule{};
  std::string explanation{};
};

namespace plait::c_api {

/// Keeps `text` for plait_last_error() and gives `status` back.
int failed(plait_status status, const char* text) noexcept;

/// Runs `body`; what it throws becomes a code and this thread's last error.
template <class Body>
int guarded_call(Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return PLAIT_SUCCESS;
  } catch (const CollectiveError& error) {
    return failed(PLAIT_COLLECTIVE_ERROR, error.what());
  } catch (const Error& error) {
    return failed(PLAIT_LOCAL_ERROR, error.what());
  } catch (const std::bad_alloc&) {
    return failed(PLAIT_NO_MEMORY, "memory: none left; use more ranks or a smaller grid");
  } catch (const std::exception& error) {
    return failed(PLAIT_INTERNAL_ERROR, error.what());
  } catch (...) {
    return failed(PLAIT_INTERNAL_ERROR, "unknown exception: not one of this library; report it");
  }
}

/// @throws Error when `pointer` is null. `name`: the argument, as plait.h calls it.
template <class T>
T& required(T* pointer, const char* name) {
  if (pointer == nullptr) throw Error(name, "is NULL", "give what plait.h says");
  return *pointer;
}

/// Runs `body` on every rank; an Error on any of them is a CollectiveError on all. Collective.
template <class Body>
void agreed(MPI_Comm comm, Body&& body) {
  std::unique_ptr<Error> error;
  try {
    std::forward<Body>(body)();
  } catch (const Error& caught) {
    error = std::make_unique<Error>(caught);
  }
  agree_on_error(comm, error.get());
}

/// The views as the library has them. @throws Error on a null pointer or no view.
std::vector<FieldView> views(const plait_view* fields, int count);
FieldView view(const plait_view* field, const char* name);
plait_view view(const FieldView& field);

/// Copies an Int3 into an array of C. @throws Error when `to` is null.
void copy(const Int3& from, int* to, const char* name);

}  // namespace plait::c_api
