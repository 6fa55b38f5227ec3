// SPDX-License-Identifier: BSD-3-Clause
// Asks libfabric's tool which providers serve messages of MPI on this node.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/launcher.hpp"

namespace plait::tune {

/// A provider of libfabric.
struct Provider {
  std::string name;             ///< "tcp"
  bool reaches_others = false;  ///< it has a network, not only the loopback or shared memory
  bool operator==(const Provider&) const = default;
};

/// A provider and what takes its place on a node without it: "verbs,tcp". libfabric filters by such
/// a list, and keeps its own order. So the fallback is tcp, which every network has, if libfabric
/// prefers the provider to it; otherwise there is none.
/// @param preferred  the names of all providers, in the order of fi_info
std::string with_fallback(const std::vector<std::string>& preferred, const std::string& name);

/// The name before the fallback.
std::string first_provider(const std::string& list);

/// The variable that makes ranks of an MPI library print their provider: "I_MPI_DEBUG=2"; empty:
/// none is known.
std::string provider_report(launcher::LauncherKind kind);

/// The provider that a rank has printed, without layers above it; empty: none.
std::string provider_used(const std::string& output);

/// What `fi_info -t FI_EP_RDM -c FI_TAGGED` printed: providers that have what MPI needs, each once.
std::vector<Provider> parse_fi_info(const std::string& text);

/// The folder of the libfabric that an MPI library includes; empty: the system's.
std::string libfabric_folder(const launcher::Launcher& launcher);

/// fi_info of an MPI library, else the one in PATH; empty if there is none.
std::string provider_tool(const launcher::Launcher& launcher);

/// Asks that tool about the libfabric that the MPI library uses. Takes up to 30 s.
/// @return nothing if there is no tool or it fails
std::optional<std::vector<Provider>> ask_providers(const launcher::Launcher& launcher);

/// The network modules of an MPICH library, the default first, as `mpichversion` prints them:
/// "MPICH Device: ch4:ucx ofi".
std::vector<std::string> parse_mpichversion(const std::string& text);

/// Asks `mpichversion` beside the launcher. Empty if it is not there.
std::vector<std::string> ask_network_modules(const launcher::Launcher& launcher);

}  // namespace plait::tune
