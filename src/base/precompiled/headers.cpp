// SPDX-License-Identifier: BSD-3-Clause
// Contains nothing: for this source the headers are compiled that other folders then use as they
// are.
