// SPDX-License-Identifier: BSD-3-Clause
// Changes JSON into other JSON, so that fuzzing gets past the parser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plait::fuzz {

/// Changes one to three values of a JSON document: other numbers, texts and types, copies and
/// exchanges of values, missing fields.
/// @returns the document; empty if `text` is not JSON
std::string mutated_json(std::string_view text, std::uint32_t seed);

}  // namespace plait::fuzz
