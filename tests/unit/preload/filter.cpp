// SPDX-License-Identifier: BSD-3-Clause
// Names of functions from symbols of C, C++ and Fortran, and patterns that choose them.
#include "preload/functions/filter.hpp"

#include <gtest/gtest.h>

#include <string>

namespace plait::preload::functions {
namespace {

std::string name_of(const char* symbol, std::size_t bytes = 256) {
  std::string name(bytes, '?');
  plain_name(symbol, name.data(), bytes);
  return name.c_str();
}

TEST(FunctionNames, OfCPlusPlusHaveNoParametersAndTemplateArguments) {
  EXPECT_EQ(name_of("_Z5solveiPd"), "solve");
  EXPECT_EQ(name_of("_ZN4mesh4Mesh8assembleERKS0_i"), "mesh::Mesh::assemble");
  EXPECT_EQ(name_of("_ZNK4mesh4Mesh4sizeEv"), "mesh::Mesh::size");
  EXPECT_EQ(name_of("_ZN4MeshC2Ei"), "Mesh::Mesh");
  EXPECT_EQ(name_of("_ZN4MeshD1Ev"), "Mesh::~Mesh");
  EXPECT_EQ(name_of("_ZN4mesh7elementIdEET_S1_"), "mesh::element");
  EXPECT_EQ(name_of("_Z3sumISt6vectorIdSaIdEEEdRKT_"), "sum");
  EXPECT_EQ(name_of("_ZN5ArrayIdLi3EE4fillEd"), "Array::fill");
  EXPECT_EQ(name_of("_ZNSt6vectorIiSaIiEE9push_backERKi"), "std::vector::push_back");
  EXPECT_EQ(name_of("_ZN12_GLOBAL__N_16helperEv"), "(anonymous)::helper");
  EXPECT_EQ(name_of("_ZZ4mainENKUlvE_clEv"), "main::lambda::operator()");
  EXPECT_EQ(name_of("_ZN7HaloPlnplERKS_"), "HaloPln::operator");
  EXPECT_EQ(name_of("_ZL6staticv"), "static");
  EXPECT_EQ(name_of("_Z4busyB5cxx11v"), "busy");
}

TEST(FunctionNames, OfCAndFortranAreAsWritten) {
  EXPECT_EQ(name_of("solve"), "solve");
  EXPECT_EQ(name_of("__mg_utils_MOD_mg_grid_init"), "mg_utils::mg_grid_init");
  EXPECT_EQ(name_of("relax_"), "relax_");
}

TEST(FunctionNames, LoseWhatCompilersAppend) {
  EXPECT_EQ(name_of("solve.constprop.0"), "solve");
  EXPECT_EQ(name_of("main._omp_fn.2"), "main");
  EXPECT_EQ(name_of("_ZN4Mesh8assembleEi.part.0"), "Mesh::assemble");
  EXPECT_EQ(name_of("__mg_utils_MOD_mg_grid_init._omp_fn.0"), "mg_utils::mg_grid_init");
}

TEST(FunctionNames, ThatAreDamagedOrLongAreCutAndNotReadBeyondTheirEnd) {
  for (const char* symbol : {"_Z", "_ZN", "_ZN4", "_ZN4Me", "_Z99999x", "_ZN4MeshI", "_ZZ", "_ZNS",
                             "_ZN1AILi", "_ZNKUl", "_ZN1AC", "", "_", "__", "__MOD_", "_ZU"}) {
    EXPECT_EQ(name_of(symbol).find('?'), std::string::npos) << symbol;
  }
  EXPECT_EQ(name_of("_ZN4mesh4Mesh8assembleEv", 8), "mesh::M");
  EXPECT_EQ(name_of("a_long_function", 5), "a_lo");
}

TEST(FunctionPatterns, ChooseByTheWholeNameOrItsEnd) {
  EXPECT_TRUE(is_chosen("assemble", "assemble"));
  EXPECT_TRUE(is_chosen("assemble", "mesh::Mesh::assemble"));
  EXPECT_TRUE(is_chosen("Mesh::*", "mesh::Mesh::assemble"));
  EXPECT_TRUE(is_chosen("*grid*", "mg_utils::mg_grid_init"));
  EXPECT_TRUE(is_chosen("s?lve", "solve"));
  EXPECT_TRUE(is_chosen("relax", "relax_"));
  EXPECT_FALSE(is_chosen("assemble", "assemble_all"));
  EXPECT_FALSE(is_chosen("mesh", "mesh::size"));
  EXPECT_FALSE(is_chosen("", "solve"));
}

TEST(FunctionPatterns, MayExclude) {
  EXPECT_TRUE(is_chosen("Mesh::*,!Mesh::size", "Mesh::assemble"));
  EXPECT_FALSE(is_chosen("Mesh::*,!Mesh::size", "Mesh::size"));
  EXPECT_FALSE(is_chosen("Mesh::*,!Mesh::size", "solve"));
  EXPECT_TRUE(is_chosen("!size", "solve"));
  EXPECT_FALSE(is_chosen("!size", "Mesh::size"));
}

}  // namespace
}  // namespace plait::preload::functions
