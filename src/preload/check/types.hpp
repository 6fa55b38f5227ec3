// SPDX-License-Identifier: BSD-3-Clause
// Signatures of datatypes: their sequences of basic types.
#pragma once

#include <stdint.h>

#include "preload/calls/abi.hpp"
#include "preload/check/check.hpp"

namespace plait::preload {

/// The index in TYPES of the datatype's signature; 0 when it cannot be learnt. Local MPI calls the
/// first time, a look-up later. The caller holds check_lock.
uint32_t check_type(Word datatype);

/// The program has made the datatype, which is therefore valid.
void keep_check_type(Word datatype);

/// The handle is freed: the library may give it to another type.
void forget_check_type(Word datatype);

/// A call with these arguments made the type.
void learn_made_type(Word datatype, const Arguments& given);

}  // namespace plait::preload
