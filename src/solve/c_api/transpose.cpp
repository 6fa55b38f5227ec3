// SPDX-License-Identifier: BSD-3-Clause
// C interface: transposes and their steppers.
#include <algorithm>
#include <string_view>

#include "solve/c_api/c_api.hpp"

namespace {

using plait::c_api::agreed;
using plait::c_api::guarded_call;
using plait::c_api::required;

plait::Cut cut_of(const plait_cut& from, int ranks) {
  plait::Cut cut;
  cut.axis = from.axis;
  if (from.blocks != nullptr) cut.blocks.assign(from.blocks, from.blocks + ranks);
  const bool ordered = std::any_of(from.order, from.order + 3, [](int axis) { return axis != 0; });
  if (ordered) std::copy(from.order, from.order + 3, cut.order.begin());
  std::copy(from.strides, from.strides + 3, cut.strides.begin());
  return cut;
}

plait::TransposeShape shape_of(const plait_transpose_shape* shape, int ranks) {
  const plait_transpose_shape& from = required(shape, "shape");
  plait::TransposeShape result;
  std::copy(from.extents, from.extents + 3, result.extents.begin());
  result.from = cut_of(from.from, ranks);
  result.to = cut_of(from.to, ranks);
  if (from.element_bytes != 0) result.element_bytes = from.element_bytes;
  if (from.fields != 0) result.fields = from.fields;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (from.kept[axis] == nullptr) continue;
    for (int range = 0; range < from.kept_ranges[axis]; ++range) {
      const long long* ends = from.kept[axis] + 2 * std::ptrdiff_t{range};
      result.kept[axis].push_back({ends[0], ends[1]});
    }
  }
  result.expands = from.expands != 0;
  return result;
}

int axis_of(const char* name) {
  if (name == nullptr) return -1;
  const std::size_t axis = std::string_view("xyz").find(name);
  if (std::string_view(name).size() == 1 && axis != std::string_view::npos) {
    return static_cast<int>(axis);
  }
  throw plait::Error("chunk axis \"" + std::string(name) + "\"", "unknown", "use x, y or z");
}

plait::Transpose::Options options_of(const plait_transpose_options* options) {
  plait::Transpose::Options result;
  if (options == nullptr) return result;
  if (options->chunks != 0) result.chunks = options->chunks;
  result.chunk_axis = axis_of(options->chunk_axis);
  if (options->transport != nullptr) {
    result.transport = plait::parse_transpose_transport(options->transport);
  }
  result.in_source_memory = options->in_source_memory != 0;
  if (options->wait != nullptr) {
    result.wait = plait::Schedule::parse("blocking,wait=" + std::string(options->wait)).wait;
  }
  if (options->buffers_of != nullptr) result.buffers_of = &options->buffers_of->transpose;
  return result;
}

plait_transpose_array array_of(const plait::TransposeArray& from) {
  plait_transpose_array result{};
  result.axis = from.axis;
  result.first = from.own.first;
  result.last = from.own.last;
  std::copy(from.extents.begin(), from.extents.end(), result.extents);
  std::copy(from.strides.begin(), from.strides.end(), result.strides);
  result.elements = from.elements;
  return result;
}

// The next arrays of a list, one for each field.
template <class Pointer>
std::vector<Pointer> next_arrays(Pointer const*& list, const plait::Transpose& transpose,
                                 const char* name) {
  required(list, name);
  const int fields = transpose.shape().fields;
  std::vector<Pointer> result(list, list + fields);
  list += fields;
  return result;
}

plait::TransposeStepper::Work work_of(plait_work work, void* context) {
  if (work == nullptr) return {};
  return [work, context](const plait::IndexRange& planes) {
    work(planes.first, planes.last, context);
  };
}

}  // namespace

extern "C" {

int plait_transpose_create(MPI_Comm comm, const plait_transpose_shape* shape,
                           const plait_transpose_options* options, plait_transpose** transpose) {
  return guarded_call([&] {
    required(transpose, "transpose") = nullptr;
    if (comm == MPI_COMM_NULL)
      throw plait::Error("comm", "must not be MPI_COMM_NULL", "pass a communicator");
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    plait::TransposeShape redistributed;
    plait::Transpose::Options chosen;
    agreed(comm, [&] {
      redistributed = shape_of(shape, ranks);
      chosen = options_of(options);
    });
    *transpose = new plait_transpose{plait::Transpose(comm, redistributed, chosen)};
  });
}

int plait_transpose_create_f(MPI_Fint comm, const plait_transpose_shape* shape,
                             const plait_transpose_options* options, plait_transpose** transpose) {
  return plait_transpose_create(MPI_Comm_f2c(comm), shape, options, transpose);
}

int plait_transpose_free(plait_transpose** transpose) {
  return guarded_call([&] { delete std::exchange(required(transpose, "transpose"), nullptr); });
}

int plait_transpose_arrays(const plait_transpose* transpose, plait_transpose_array* source,
                           plait_transpose_array* destination) {
  return guarded_call([&] {
    const plait::Transpose& from = required(transpose, "transpose").transpose;
    required(source, "source") = array_of(from.source());
    required(destination, "destination") = array_of(from.destination());
  });
}

void* plait_transpose_source_memory(plait_transpose* transpose, int field) {
  void* memory = nullptr;
  guarded_call([&] { memory = required(transpose, "transpose").transpose.source_memory(field); });
  return memory;
}

const char* plait_transpose_transport(plait_transpose* transpose) {
  const int status = guarded_call([&] {
    required(transpose, "transpose").transport = to_string(transpose->transpose.transport());
  });
  return status == PLAIT_SUCCESS ? transpose->transport.c_str() : nullptr;
}

long long plait_transpose_buffer_bytes(const plait_transpose* transpose) {
  long long bytes = -1;
  guarded_call([&] { bytes = required(transpose, "transpose").transpose.buffer_bytes(); });
  return bytes;
}

int plait_transpose_execute(plait_transpose* transpose, const void* const* from, void* const* to) {
  return guarded_call([&] {
    plait::Transpose& plan = required(transpose, "transpose").transpose;
    plan.transpose(next_arrays(from, plan, "from"), next_arrays(to, plan, "to"));
  });
}

int plait_transpose_begin(plait_transpose* transpose, const void* const* from, void* const* to) {
  return guarded_call([&] {
    plait::Transpose& plan = required(transpose, "transpose").transpose;
    plan.begin(next_arrays(from, plan, "from"), next_arrays(to, plan, "to"));
  });
}

int plait_transpose_start(plait_transpose* transpose, int chunk) {
  return guarded_call([&] { required(transpose, "transpose").transpose.start(chunk); });
}

int plait_transpose_test(plait_transpose* transpose, int chunk, int* done) {
  return guarded_call([&] {
    required(done, "done") = required(transpose, "transpose").transpose.test(chunk) ? 1 : 0;
  });
}

int plait_transpose_finish(plait_transpose* transpose, int chunk) {
  return guarded_call([&] { required(transpose, "transpose").transpose.finish(chunk); });
}

int plait_transpose_planes(const plait_transpose* transpose, int destination, int chunk,
                           long long* ranges, int most, int* count) {
  return guarded_call([&] {
    const plait::Transpose& plan = required(transpose, "transpose").transpose;
    const std::vector<plait::IndexRange> planes =
        destination != 0 ? plan.destination_planes(chunk) : plan.source_planes(chunk);
    required(count, "count") = static_cast<int>(planes.size());
    for (int range = 0; range < std::min(most, *count); ++range) {
      const plait::IndexRange& of = planes[static_cast<std::size_t>(range)];
      required(ranges, "ranges");
      ranges[2 * std::ptrdiff_t{range}] = of.first;
      ranges[2 * std::ptrdiff_t{range} + 1] = of.last;
    }
  });
}

int plait_transpose_stepper_create(MPI_Comm comm, plait_transpose* const* transposes, int count,
                                   const char* schedule, plait_transpose_stepper** stepper) {
  return guarded_call([&] {
    required(stepper, "stepper") = nullptr;
    required(transposes, "transposes");
    if (count < 1)
      throw plait::Error("count = " + std::to_string(count), "less than 1",
                         "give the number of transposes");
    std::vector<plait_transpose*> handles(transposes, transposes + count);
    std::vector<plait::Transpose*> plans;
    for (plait_transpose* handle : handles) {
      plans.push_back(&required(handle, "transposes").transpose);
    }
    plait::Schedule chosen;
    agreed(comm == MPI_COMM_NULL ? plans[0]->comm() : comm, [&] {
      chosen = schedule == nullptr ? plait::Schedule::from_environment()
                                   : plait::Schedule::parse(schedule);
    });
    *stepper = new plait_transpose_stepper{std::move(handles),
                                           plait::TransposeStepper(plans, chosen, comm)};
  });
}

int plait_transpose_stepper_create_f(MPI_Fint comm, plait_transpose* const* transposes, int count,
                                     const char* schedule, plait_transpose_stepper** stepper) {
  return plait_transpose_stepper_create(MPI_Comm_f2c(comm), transposes, count, schedule, stepper);
}

int plait_transpose_stepper_free(plait_transpose_stepper** stepper) {
  return guarded_call([&] { delete std::exchange(required(stepper, "stepper"), nullptr); });
}

int plait_transpose_step(plait_transpose_stepper* stepper, const void* const* from, void* const* to,
                         const plait_work* works, void* context) {
  return guarded_call([&] {
    plait_transpose_stepper& runs = required(stepper, "stepper");
    required(works, "works");
    std::vector<plait::TransposeArrays> arrays;
    std::vector<plait::TransposeStepper::Work> of_stages;
    for (const plait_transpose* handle : runs.transposes) {
      std::vector<const void*> sources = next_arrays(from, handle->transpose, "from");
      arrays.push_back({std::move(sources), next_arrays(to, handle->transpose, "to")});
    }
    for (std::size_t stage = 0; stage <= runs.transposes.size(); ++stage) {
      of_stages.push_back(work_of(works[stage], context));
    }
    runs.stepper.step(arrays, of_stages);
  });
}

int plait_transpose_progress(plait_transpose_stepper* stepper) {
  return guarded_call([&] { required(stepper, "stepper").stepper.progress(); });
}

const char* plait_transpose_stepper_schedule(plait_transpose_stepper* stepper) {
  const int status = guarded_call(
      [&] { required(stepper, "stepper").schedule = to_string(stepper->stepper.schedule()); });
  return status == PLAIT_SUCCESS ? stepper->schedule.c_str() : nullptr;
}

const char* plait_transpose_stepper_explain(plait_transpose_stepper* stepper) {
  const int status =
      guarded_call([&] { required(stepper, "stepper").explanation = stepper->stepper.explain(); });
  return status == PLAIT_SUCCESS ? stepper->explanation.c_str() : nullptr;
}

}  // extern "C"
