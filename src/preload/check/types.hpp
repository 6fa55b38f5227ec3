// SPDX-License-Identifier: BSD-3-Clause
// Signatures of datatypes: the sequences of basic types behind handles.
#pragma once

#include <stdint.h>

#include "preload/profile/abi.hpp"

namespace plait::preload {

/// The index in TYPES of the datatype's signature; 0 when it cannot be learnt. Local MPI calls at
/// first sight, a look-up later. The caller holds check_lock.
uint32_t check_type(Word datatype);

/// The handle is freed: the library may give it to another type.
void forget_check_type(Word datatype);

/// The code of a reduction's operation: the same in all processes for the predefined ones.
uint32_t operation_code(Word op);

}  // namespace plait::preload
