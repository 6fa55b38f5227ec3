// SPDX-License-Identifier: BSD-3-Clause
// FFTW instead of Plait's own transforms, loaded at run time.
#include "fftw.hpp"

#include <dlfcn.h>

#include <string>
#include <vector>

#include "plait/error.hpp"

namespace plait::boussinesq {
namespace {

/// fftw_iodim of FFTW's manual, section 4.5.1.
struct Dimension {
  int count, in_stride, out_stride;
};
constexpr unsigned estimate = 1U << 6U;  // FFTW_ESTIMATE: plans do not depend on timings

struct Library {
  void* (*plan)(int rank, const Dimension* dimensions, int batch_rank, const Dimension* batch,
                double* in_re, double* in_im, double* out_re, double* out_im, unsigned flags);
  void (*execute)(void* plan, double* in_re, double* in_im, double* out_re, double* out_im);
  void (*destroy)(void* plan);
};

template <class Function>
void find(void* handle, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(handle, name));
  if (function == nullptr) {
    throw Error("--fft fftw", "libfftw3.so.3 has no " + std::string(name), "use --fft own");
  }
}

const Library& library() {
  static const Library loaded = [] {
    void* handle = ::dlopen("libfftw3.so.3", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      throw Error("--fft fftw", "libfftw3.so.3 was not found",
                  "install it (Debian: libfftw3-double3), or use --fft own");
    }
    Library library{};
    find(handle, "fftw_plan_guru_split_dft", library.plan);
    find(handle, "fftw_execute_split_dft", library.execute);
    find(handle, "fftw_destroy_plan", library.destroy);
    return library;
  }();
  return loaded;
}

bool in_use = false;

}  // namespace

void use_fftw(bool use) {
  if (use) library();
  in_use = use;
}

std::shared_ptr<const FftwPlan> FftwPlan::make(int length) {
  if (!in_use) return nullptr;
  constexpr int stride = sizeof(Pair) / sizeof(double);
  const Dimension line{length, stride, stride}, lanes{lane_count, 1, 1};
  std::vector<Pair> in(static_cast<std::size_t>(length)), out = in;
  // The inverse is the transform with real and imaginary parts exchanged; FFTW asks for a plan of
  // its own for them, as the imaginary parts lie before the real ones.
  void* const forward = library().plan(1, &line, 1, &lanes, &in[0].re[0], &in[0].im[0],
                                       &out[0].re[0], &out[0].im[0], estimate);
  void* const inverse = library().plan(1, &line, 1, &lanes, &in[0].im[0], &in[0].re[0],
                                       &out[0].im[0], &out[0].re[0], estimate);
  if (forward == nullptr || inverse == nullptr) {
    if (forward != nullptr) library().destroy(forward);
    if (inverse != nullptr) library().destroy(inverse);
    throw Error("--fft fftw", "no plan for length " + std::to_string(length), "use --fft own");
  }
  return std::shared_ptr<const FftwPlan>(new FftwPlan(forward, inverse));
}

FftwPlan::~FftwPlan() {
  library().destroy(forward_);
  library().destroy(inverse_);
}

void FftwPlan::transform(Pair* line, Pair* result, bool inverse) const {
  double* in[2] = {&line->re[0], &line->im[0]};
  double* out[2] = {&result->re[0], &result->im[0]};
  const int re = inverse ? 1 : 0, im = 1 - re;
  library().execute(inverse ? inverse_ : forward_, in[re], in[im], out[re], out[im]);
}

}  // namespace plait::boussinesq
