// SPDX-License-Identifier: BSD-3-Clause
// Costs of messages on nodes of today, for when nothing was measured.
#include "map/mapping.hpp"

namespace plait::map {

Costs default_costs() {
  Costs costs;
  // Shared memory: from the far socket to the shared cache.
  costs.path[0] = {0.9e-6, 1 / 5e9};
  costs.path[1] = {0.6e-6, 1 / 7e9};
  costs.path[2] = {0.5e-6, 1 / 8e9};
  costs.path[3] = {0.3e-6, 1 / 10e9};
  costs.path[4] = {0.3e-6, 1 / 10e9};
  // A card of 100 Gbit/s: what a message takes of it besides its bytes is well below its latency.
  costs.path[kLevels] = {2e-6, 1 / 12e9};
  costs.card = {0.2e-6, 1 / 12.5e9};
  return costs;
}

}  // namespace plait::map
