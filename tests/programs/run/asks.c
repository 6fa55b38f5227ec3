/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens an MPI library, as Python does, and asks which functions there are. Fails if there are
 * others in the process than in the library. */
#include <dlfcn.h>
#include <stdio.h>

static const char* const names[] = {"MPI_Init",
                                    "MPI_Send",
                                    "MPI_Win_flush",
                                    "MPI_Isendrecv",
                                    "MPI_Send_c",
                                    "MPI_Session_init",
                                    "MPI_Comm_idup_with_info",
                                    "MPI_Psend_init",
                                    "MPI_Info_get",
                                    "MPI_Bcast_init",
                                    "MPI_Abi_get_version",
                                    "MPI_Comm_toint",
                                    "MPI_Remove_error_class"};

int main(int argc, char** argv) {
  int wrong = 0, absent = 0;
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
  if (!library) return printf("no library: %s\n", dlerror()), 2;
  for (unsigned i = 0; i < sizeof names / sizeof *names; ++i) {
    const int in_library = dlsym(library, names[i]) != NULL;
    const int in_process = dlsym(RTLD_DEFAULT, names[i]) != NULL;
    absent += !in_library;
    wrong += in_library != in_process;
    if (in_library != in_process) printf("%s: %d, not %d\n", names[i], in_process, in_library);
  }
  printf("%d absent\n", absent);
  return wrong;
}
