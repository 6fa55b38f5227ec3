// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: the state and the last tendencies in one file, from which a run continues with the
// same bits on any ranks.
#pragma once

#include <string>

#include "flow.hpp"

namespace plait::boussinesq {

/// Writes a new file and then replaces `path` by it. Collective.
void write_checkpoint(const Flow& flow, const std::string& path);

/// Reads the state, the time and the step of a flow. Collective.
/// @throws CommonError if the file is damaged or for another grid
void read_checkpoint(Flow& flow, const std::string& path);

}  // namespace plait::boussinesq
