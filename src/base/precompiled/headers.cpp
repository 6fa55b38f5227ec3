// SPDX-License-Identifier: BSD-3-Clause
// An empty source, with which the shared headers are precompiled.
