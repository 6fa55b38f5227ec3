// SPDX-License-Identifier: BSD-3-Clause
// Verify mode: compares every exchange of a stepper bit by bit with a blocking one.
#include "solve/verify.hpp"

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "plait/environment.hpp"
#include "text/counted.hpp"

namespace plait::solve {

bool verify_mode_in_environment() {
  const char* text = std::getenv("PLAIT_VERIFY");
  return text != nullptr && std::string_view(text) == "1";
}

void Verifier::check(const Halo& halo, std::span<const FieldView> fields,
                     const Schedule& schedule) {
  if (!on_) return;
  ++exchanges_;
  const std::int64_t unlike = halo.unlike_blocking(fields);
  std::unique_ptr<Error> error;
  if (unlike > 0) {
    error = std::make_unique<Error>(
        "exchange " + std::to_string(exchanges_) + " under " + to_string(schedule),
        counted(unlike, "ghost differs", "ghosts differ") + " from a blocking exchange",
        "check that update() writes only the cells of its box, and that nothing else writes the "
        "field meanwhile");
  }
  agree_on_error(halo.grid().comm(), error.get());
}

}  // namespace plait::solve
