// SPDX-License-Identifier: BSD-3-Clause
// Names of functions from the symbols of several compilers.
#include "trace/function_names.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace plait::trace {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(ReadableFunctions, of_fortran_are_as_written) {
  for (const auto& [symbol, name] :
       Pairs{{"__mg_utils_MOD_mg_grid_init", "mg_utils::mg_grid_init"},            // gfortran
             {"__mg_utils_MOD_mg_grid_init._omp_fn.0", "mg_utils::mg_grid_init"},  // OpenMP region
             {"__mg_utils.impl_MOD_fill", "mg_utils::impl::fill"},                 // submodule
             {"inner.0", "inner"},                                                 // in a procedure
             {"MAIN__", "main program"},
             {"outer_sub_", "outer_sub"},
             {"outer_sub__", "outer_sub"},  // with a second underscore
             {"solve_", "solve"},
             {"mg_utils_mp_mg_grid_init_", "mg_utils::mg_grid_init"},  // ifx
             {"outer_IP_inner_", "outer::inner"},
             {"mg_utils_MP_mg_grid_init", "mg_utils::mg_grid_init"},  // NAG
             {"mg_grid_init$mg_utils_", "mg_utils::mg_grid_init"},    // Cray
             {"_QMmg_utilsPmg_grid_init", "mg_utils::mg_grid_init"},  // flang
             {"_QMmg_utilsSimplPfill", "mg_utils::impl::fill"},
             {"_QMmg_utilsFmg_grid_initPinner", "mg_utils::mg_grid_init::inner"},
             {"_QFPinner", "inner"},
             {"_QMmg_utilsPmg_grid_init..omp_par", "mg_utils::mg_grid_init"},
             {"_QPsolve", "solve"},
             {"_QQmain", "main program"}}) {
    EXPECT_EQ(readable_function(symbol, ""), name) << symbol;
    if (symbol.back() == '_') continue;
    EXPECT_EQ(readable_function(symbol, "/a/mg.F90"), name) << symbol;
  }
  EXPECT_EQ(readable_function("solve_", "/a/solve.f90"), "solve");
  EXPECT_EQ(readable_function("solve_", "/a/solve.c"), "solve_");
  EXPECT_EQ(readable_function("Solve_", ""), "Solve_");
  EXPECT_EQ(readable_function("__libc_start_main", ""), "__libc_start_main");
  EXPECT_EQ(readable_function("__x_MOD_", ""), "__x_MOD_");
}

TEST(ReadableFunctions, have_no_suffixes_of_copies) {
  for (const auto& [symbol, name] :
       Pairs{{"solve._omp_fn.0", "solve"},
             {"solve.constprop.0.isra.0", "solve"},
             {"solve.part.0.cold", "solve"},
             {"main.omp_outlined", "main"},
             {".omp_outlined.", "OpenMP region"},
             {"main.main", "main.main"},  // Go
             {"with(int) [clone ._omp_fn.0] [clone .cold]", "with(int)"},
             {"a::B<int>::run(int) const", "a::B<int>::run(int) const"},
             {"", ""}}) {
    EXPECT_EQ(readable_function(symbol, ""), name) << symbol;
  }
}

TEST(ShortFunctions, drop_parameters_template_arguments_and_types) {
  for (const auto& [function, name] :
       Pairs{{"void a::B<int, c<d>>::run<true>(int, char) const", "a::B::run"},
             {"LAMMPS_NS::Comm::forward_comm(int)", "LAMMPS_NS::Comm::forward_comm"},
             {"(anonymous namespace)::step(int)", "step"},
             {"std::vector<int, std::allocator<int> > grid::go<int>(std::string)", "grid::go"},
             {"int const& get(int)", "get"},
             {"decltype ({parm#1}(1)) grid::apply<with(int)::{lambda(int)#1}>(with(int)::"
              "{lambda(int)#1})",
              "grid::apply"},
             {"with(int)::{lambda(int)#1}::operator()(int) const", "with::lambda"},
             {"A<int>::f() const::{lambda()#2}::operator()() const", "A::f::lambda"},
             {"with(int)::L::f()", "with::L::f"},
             {"halo::Exchange<double, 3>::operator()(int) const", "halo::Exchange::operator()"},
             {"a::operator()(int)", "a::operator()"},
             {"bool operator< <int>(X<int> const&, X<int> const&)", "operator<"},
             {"std::ostream& std::operator<< <char>(std::ostream&)", "std::operator<<"},
             {"grid::Ex<int>::operator bool() const", "grid::Ex::operator bool"},
             {"a::B::operator->() const", "a::B::operator->"},
             {"non-virtual thunk to a::B::run(int)", "a::B::run"},
             {"a::text[abi:cxx11](int)", "a::text"},
             {"co::operators(int)", "co::operators"},
             {"mg_utils::mg_grid_init", "mg_utils::mg_grid_init"},
             {"main program", "main program"},
             {"void (*f(int))(char)", "void (*f(int))(char)"},
             {"broken<(", "broken"},
             {"", ""}}) {
    EXPECT_EQ(short_function(function), name) << function;
  }
}

TEST(ShortFunctions, of_python_have_no_locals) {
  EXPECT_EQ(short_function("Solver.run.<locals>.inner"), "Solver.run.inner");
  EXPECT_EQ(short_function("<lambda>"), "<lambda>");
  EXPECT_EQ(short_function("run.<locals>.<lambda>"), "run.<lambda>");
}

}  // namespace
}  // namespace plait::trace
