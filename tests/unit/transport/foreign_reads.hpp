// SPDX-License-Identifier: BSD-3-Clause
// Permission to read in the memory of other processes, in the tests.
#pragma once

/// process_vm_readv() fails if it is false.
extern bool may_read_foreign;
