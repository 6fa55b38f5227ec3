/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with Caliper annotations and NVTX ranges. It finds NVTX's tool as NVTX 3 does, which is
 * in headers only: by NVTX_INJECTION64_PATH. */
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void cali_begin_region(const char* name);
void cali_end_region(const char* name);
void cali_begin_phase(const char* name);
void cali_end_phase(const char* name);
void cali_begin_string(uint64_t attribute, const char* value);
void cali_end(uint64_t attribute);
extern uint64_t cali_function_attr_id, cali_other_attr_id;
int cali_calls(void);
void use_scopes(void);

/* As compilers call them for -finstrument-functions. */
void __cyg_profile_func_enter(void* function, void* site);
void __cyg_profile_func_exit(void* function, void* site);
int profiled_calls(void);

typedef void (*function)(void);
enum { kPushEx = 8, kPushA = 9, kPushW = 10, kPop = 11, kCoreSize = 16 };
enum { kDomainPushEx = 4, kDomainPop = 5, kRegisterA = 10, kCore2Size = 16 };
static function core[kCoreSize], core2[kCore2Size];
static function* core_table[kCoreSize];
static function* core2_table[kCore2Size];

struct attributes {
  uint16_t version, size;
  uint32_t category;
  int32_t colour_type;
  uint32_t colour;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  const void* message;
};

static int tables_of(int module, function*** table, unsigned* size) {
  if (module != 1 && module != 5) return 0;
  *table = module == 1 ? core_table : core2_table;
  *size = module == 1 ? kCoreSize : kCore2Size;
  return 1;
}

static const void* export_table(uint32_t id) {
  static const struct {
    size_t bytes;
    int (*functions)(int, function***, unsigned*);
  } callbacks = {sizeof callbacks, tables_of};
  return id == 1 ? &callbacks : NULL;
}

static void use_nvtx(void) {
  const char* path = getenv("NVTX_INJECTION64_PATH");
  void* library = path ? dlopen(path, RTLD_LAZY) : NULL;
  void* symbol = library ? dlsym(library, "InitializeInjectionNvtx2") : NULL;
  for (int i = 1; i < kCoreSize; ++i) core_table[i] = &core[i];
  for (int i = 1; i < kCore2Size; ++i) core2_table[i] = &core2[i];
  if (!symbol || !((int (*)(const void* (*)(uint32_t)))symbol)(export_table)) return;
  const int (*push)(const char*) = (const int (*)(const char*))core[kPushA];
  const int (*pop)(void) = (const int (*)(void))core[kPop];
  int levels[4];
  levels[0] = push("step");
  levels[1] = push("inner");
  levels[2] = pop();
  levels[3] = pop();
  struct attributes of = {3, sizeof of, 0, 0, 0, 0, 0, 0, 1, "by attributes"};
  ((int (*)(const struct attributes*))core[kPushEx])(&of);
  pop();
  of.message_type = 3;
  of.message = ((const void* (*)(void*, const char*))core2[kRegisterA])(NULL, "registered");
  ((int (*)(void*, const struct attributes*))core2[kDomainPushEx])(NULL, &of);
  ((int (*)(void*))core2[kDomainPop])(NULL);
  ((int (*)(const wchar_t*))core[kPushW])(L"wide");
  pop();
  printf("levels %d %d %d %d, then %d\n", levels[0], levels[1], levels[2], levels[3], pop());
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 3; ++i) {
    cali_begin_region("outer");
    cali_begin_phase("phase");
    MPI_Barrier(MPI_COMM_WORLD);
    cali_end_phase("phase");
    cali_end_region("outer");
  }
  cali_begin_string(cali_function_attr_id, "main");
  cali_begin_string(cali_other_attr_id, "not a region");
  cali_end(cali_other_attr_id);
  cali_end(cali_function_attr_id);
  use_scopes();
  use_nvtx();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  __cyg_profile_func_enter((void*)&main, NULL);
  __cyg_profile_func_exit((void*)&main, NULL);
  printf("caliper %d, other profiler %d\n", cali_calls(), profiled_calls());
  MPI_Finalize();
  return 0;
}
