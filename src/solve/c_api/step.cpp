// SPDX-License-Identifier: BSD-3-Clause
// C interface: halos and steppers.
#include <array>

#include "solve/c_api/c_api.hpp"

namespace {

using plait::Box;
using plait::FieldView;
using plait::c_api::agreed;
using plait::c_api::copy;
using plait::c_api::guarded_call;
using plait::c_api::required;
using plait::c_api::views;

plait::Halo::Options parse(const plait_halo_options* options) {
  plait::Halo::Options chosen;
  if (options == nullptr) return chosen;
  chosen.width = options->width;
  chosen.edges_and_corners = options->edges_and_corners != 0;
  if (options->transport != nullptr) chosen.transport = plait::parse_transport(options->transport);
  if (options->packing != nullptr) chosen.packing = plait::parse_packing(options->packing);
  for (std::size_t side = 0; side < 6; ++side) {
    chosen.sides[side] = options->mirror[side] != 0 ? plait::Side::mirror : plait::Side::fixed;
  }
  return chosen;
}

// Wraps the update function of a C program.
plait::Stepper::Update updater(plait_update update, void* context) {
  if (update == nullptr) throw plait::Error("update", "must not be NULL", "pass a function");
  return [update, context](const Box& box) { update(box.first.data(), box.last.data(), context); };
}

}  // namespace

extern "C" {

int plait_halo_create(const plait_grid* grid, const plait_view* layout, int count,
                      const plait_halo_options* options, plait_halo** halo) {
  return guarded_call([&] {
    required(halo, "halo") = nullptr;
    const plait::CartesianGrid& on = required(grid, "grid").grid;
    std::vector<FieldView> fields;
    plait::Halo::Options chosen;
    agreed(on.comm(), [&] {
      fields = views(layout, count);
      chosen = parse(options);
    });
    *halo = new plait_halo{plait::Halo(on, fields, chosen)};
  });
}

int plait_halo_free(plait_halo** halo) {
  return guarded_call([&] { delete std::exchange(required(halo, "halo"), nullptr); });
}

int plait_halo_exchange(plait_halo* halo, const plait_view* fields, int count) {
  return guarded_call([&] { required(halo, "halo").halo.exchange(views(fields, count)); });
}

int plait_halo_start(plait_halo* halo, const plait_view* fields, int count) {
  return guarded_call([&] { required(halo, "halo").halo.start(views(fields, count)); });
}

int plait_halo_finish(plait_halo* halo) {
  return guarded_call([&] { required(halo, "halo").halo.finish(); });
}

int plait_halo_interior(const plait_halo* halo, int first[3], int last[3]) {
  return guarded_call([&] {
    const Box interior = required(halo, "halo").halo.interior();
    copy(interior.first, first, "first");
    copy(interior.last, last, "last");
  });
}

int plait_halo_bytes(const plait_halo* halo, long long* all, long long* cross_node) {
  return guarded_call([&] {
    const plait::Halo& from = required(halo, "halo").halo;
    required(all, "all") = from.bytes();
    required(cross_node, "cross_node") = from.cross_node_bytes();
  });
}

int plait_stepper_create(plait_halo* halo, const char* schedule, plait_stepper** stepper) {
  return guarded_call([&] {
    required(stepper, "stepper") = nullptr;
    plait::Halo& of = required(halo, "halo").halo;
    plait::Schedule chosen;
    agreed(of.grid().comm(), [&] {
      chosen = schedule == nullptr ? plait::Schedule::from_environment()
                                   : plait::Schedule::parse(schedule);
    });
    *stepper = new plait_stepper{plait::Stepper(of, chosen)};
  });
}

int plait_stepper_free(plait_stepper** stepper) {
  return guarded_call([&] { delete std::exchange(required(stepper, "stepper"), nullptr); });
}

int plait_step(plait_stepper* stepper, const plait_view* in, int count, plait_update update,
               void* context) {
  return guarded_call([&] {
    required(stepper, "stepper").stepper.step(views(in, count), updater(update, context));
  });
}

int plait_advance(plait_stepper* stepper, const plait_view* out, int count, plait_update update,
                  void* context) {
  return guarded_call([&] {
    required(stepper, "stepper").stepper.advance(views(out, count), updater(update, context));
  });
}

const char* plait_stepper_schedule(plait_stepper* stepper) {
  const int status = guarded_call([&] {
    required(stepper, "stepper");
    stepper->schedule = to_string(stepper->stepper.schedule());
  });
  return status == PLAIT_SUCCESS ? stepper->schedule.c_str() : nullptr;
}

const char* plait_stepper_explain(plait_stepper* stepper) {
  const int status = guarded_call([&] {
    required(stepper, "stepper");
    stepper->explanation = stepper->stepper.explain();
  });
  return status == PLAIT_SUCCESS ? stepper->explanation.c_str() : nullptr;
}

int plait_stepper_measure(plait_stepper* stepper, const plait_view* in, int count, int repetitions,
                          plait_update update, void* context) {
  return guarded_call([&] {
    required(stepper, "stepper")
        .stepper.measure(views(in, count), updater(update, context), repetitions);
  });
}

}  // extern "C"
