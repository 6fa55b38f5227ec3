// SPDX-License-Identifier: BSD-3-Clause
// Reads quantities with their units as a person types them: 50us, 90MB/s, 2GiB.
#pragma once

#include <string>

namespace plait {

/// Seconds from "50us", "1.5 ms", "2s", "300ns".
/// @throws Error that names the units when it is no positive time.
double parse_seconds(const std::string& text);

/// Bytes a second from "90MB/s", "1.2GB/s", "100MiB/s", "1Gbit/s", "1gbit" (as tc has it); k, M, G
/// are powers of 1000, Ki, Mi, Gi of 1024.
/// @throws Error that names the units when it is no positive bandwidth.
double parse_bytes_per_second(const std::string& text);

/// Bytes from "500MB", "2 GiB", "4096B"; k, M, G are powers of 1000, Ki, Mi, Gi of 1024.
/// @throws Error that names the units when it is no positive size.
double parse_bytes(const std::string& text);

}  // namespace plait
