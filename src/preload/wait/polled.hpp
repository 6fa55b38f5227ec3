// SPDX-License-Identifier: BSD-3-Clause
// What libplait-wait.so offers to objects that see polls of MPI libraries which never yield.
#pragma once

extern "C" {
/// The MPI library polled and may have found nothing; it called from this address. Waits as the
/// policy says, if this is a rank and its library does not yield. Keeps errno.
__attribute__((weak, visibility("default"))) void plait_wait_polled(const void* caller);
}
