// SPDX-License-Identifier: BSD-3-Clause
// Shared by the functions of plait.h: handles, checks of arguments, and the conversion of
// exceptions to status codes.
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
#include "plait/transpose_stepper.hpp"

// The handles of plait.h. They own the texts that C callers receive pointers to.
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

struct plait_transpose {
  plait::Transpose transpose;
  std::string transport{};
};

struct plait_transpose_stepper {
  std::vector<plait_transpose*> transposes;
  plait::TransposeStepper stepper;
  std::string schedule{};
  std::string explanation{};
};

namespace plait::c_api {

/// Stores `text` for plait_last_error() and returns `status`.
int failed(plait_status status, const char* text) noexcept;

/// Runs `body`. An exception becomes a status code and this thread's last error.
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
    return failed(PLAIT_NO_MEMORY, "memory: exhausted; use more ranks or a smaller grid");
  } catch (const std::exception& error) {
    return failed(PLAIT_INTERNAL_ERROR, error.what());
  } catch (...) {
    return failed(PLAIT_INTERNAL_ERROR,
                  "unknown exception: not from this library; please report it");
  }
}

/// @param name  name of the argument in plait.h
/// @throws Error if `pointer` is null
template <class T>
T& required(T* pointer, const char* name) {
  if (pointer == nullptr) throw Error(name, "must not be NULL", "see its description in plait.h");
  return *pointer;
}

/// Runs `body` on every rank. An Error on any rank becomes a CollectiveError on all. Collective.
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

/// Converts views to those of the library. @throws Error on a null pointer or an empty view
std::vector<FieldView> views(const plait_view* fields, int count);
FieldView view(const plait_view* field, const char* name);
plait_view view(const FieldView& field);

/// Copies an Int3 to a C array. @throws Error if `to` is null
void copy(const Int3& from, int* to, const char* name);

}  // namespace plait::c_api
