// SPDX-License-Identifier: BSD-3-Clause
// Parses quantities with units as a user types them: 50us, 90MB/s, 2GiB.
#pragma once

#include <string>

namespace plait {

/// Seconds from "50us", "1.5 ms", "2s", "300ns".
/// @throws Error that lists the units when it is not a positive time.
double parse_seconds(const std::string& text);

/// Events per second from "100Hz", "1kHz", "100".
/// @throws Error that lists the units when it is not a positive rate.
double parse_hertz(const std::string& text);

/// Bytes per second from "90MB/s", "1.2GB/s", "100MiB/s", "1Gbit/s", "1gbit" (the syntax of tc); k,
/// M, G are powers of 1000, Ki, Mi, Gi of 1024.
/// @throws Error that lists the units when it is not a positive bandwidth.
double parse_bytes_per_second(const std::string& text);

/// Bytes from "500MB", "2 GiB", "4096B"; k, M, G are powers of 1000, Ki, Mi, Gi of 1024.
/// @throws Error that lists the units when it is not a positive size.
double parse_bytes(const std::string& text);

}  // namespace plait
