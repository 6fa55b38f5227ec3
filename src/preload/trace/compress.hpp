// SPDX-License-Identifier: BSD-3-Clause
// Compresses the event file of a process, on its node, before it is sent.
#pragma once

namespace plait::preload::trace {

/// Puts a compressed file (see trace/event_format.h) in the place of the event file, if there is
/// one and it becomes smaller. If anything fails, the event file stays as it is. To be called when
/// nothing is recorded any more. Needs 3 MiB for a moment; makes system calls.
void compress_event_file();

}  // namespace plait::preload::trace
