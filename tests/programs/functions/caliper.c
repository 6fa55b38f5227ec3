/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands for the shared libraries of Caliper and of a profiler of functions: counts the calls that
 * reach it. */
#include <stdint.h>

uint64_t cali_function_attr_id = 7, cali_loop_attr_id = 8, cali_other_attr_id = 9;
static int calls;

void cali_begin_region(const char* name) {
  calls += name != 0;
}
void cali_end_region(const char* name) {
  calls += name != 0;
}
/* One of Caliper's functions may call another one. */
void cali_begin_phase(const char* name) {
  cali_begin_region(name);
}
void cali_end_phase(const char* name) {
  cali_end_region(name);
}
void cali_begin_string(uint64_t attribute, const char* value) {
  calls += attribute && value;
}
void cali_end(uint64_t attribute) {
  calls += attribute != 0;
}
void cali_count(const void* of) {
  calls += of != 0;
}
int cali_calls(void) {
  return calls;
}

static int entered, left;

void __cyg_profile_func_enter(void* function, void* site) {
  entered += function != site;
}
void __cyg_profile_func_exit(void* function, void* site) {
  left += function != site;
}
int profiled_calls(void) {
  return 10 * entered + left;
}
