// SPDX-License-Identifier: BSD-3-Clause
// The table of MPI settings that Plait may try: their legal values, by library and version.
#pragma once

#include <span>
#include <string_view>

namespace plait::tune {

enum class ValueKind {
  bytes,
  count,
  flag,       ///< 0 or 1
  choice,     ///< one of SettingRule::choices
  algorithm,  ///< of a collective operation, one of SettingRule::choices
  provider,   ///< of libfabric, one that fi_info lists
};

/// The legal values of a setting. Others are not tried.
struct SettingRule {
  std::string_view purpose;   ///< the same for all libraries: "eager_limit", "MPI_Allreduce"
  std::string_view mpi;       ///< as launcher::kind_name
  std::string_view versions;  ///< as doctor::version_matches
  std::string_view name;      ///< as the library's own tool lists it
  ValueKind kind;
  double least = 0, most = 0;     ///< bytes and counts
  std::string_view choices = {};  ///< separated by blanks
};

/// A variable of libfabric itself, which no MPI library lists.
inline constexpr std::string_view kProviderVariable = "FI_PROVIDER";
/// Open MPI's parameter of providers.
inline constexpr std::string_view kOpenProvider = "mtl_ofi_provider_include";

/// All rules.
std::span<const SettingRule> setting_rules();

}  // namespace plait::tune
