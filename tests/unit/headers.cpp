// SPDX-License-Identifier: BSD-3-Clause
// Does nothing: for this program the headers are precompiled that all unit tests use.
int main() {}
