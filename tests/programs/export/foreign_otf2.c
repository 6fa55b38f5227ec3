/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes an archive like other tools: foreign_otf2 FOLDER. Microseconds since a large offset, user
 * functions around MPI calls, a thread without MPI, messages outside of calls.
 *
 * Rank 0: main { 1 s; MPI_Send to 1; 0.5 s; MPI_Barrier }, rank 1: { 0.2 s; MPI_Recv; 1 s; a send
 * to itself by Isend, Irecv and Waitall; MPI_Barrier }: 2 s on an ideal network. */
#include <otf2/otf2.h>
#include <stdlib.h>

enum { kOffset = 1000000000 };

static OTF2_FlushType flush(void* data, OTF2_FileType type, OTF2_LocationRef location, void* caller,
                            bool final) {
  (void)data, (void)type, (void)location, (void)caller, (void) final;
  return OTF2_FLUSH;
}

enum region { kMain, kSend, kRecv, kBarrier, kWaitall, kRegions };
static const char* const names[] = {"main", "MPI_Send", "MPI_Recv", "MPI_Barrier", "MPI_Waitall"};

static void enter(OTF2_EvtWriter* to, uint64_t us, enum region region) {
  OTF2_EvtWriter_Enter(to, NULL, kOffset + us, region);
}

static void leave(OTF2_EvtWriter* to, uint64_t us, enum region region) {
  OTF2_EvtWriter_Leave(to, NULL, kOffset + us, region);
}

static void barrier(OTF2_EvtWriter* to, uint64_t begin, uint64_t end) {
  enter(to, begin, kBarrier);
  OTF2_EvtWriter_MpiCollectiveBegin(to, NULL, kOffset + begin);
  OTF2_EvtWriter_MpiCollectiveEnd(to, NULL, kOffset + end, OTF2_COLLECTIVE_OP_BARRIER, 0,
                                  OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
  leave(to, end, kBarrier);
}

static void rank_0(OTF2_EvtWriter* to) {
  enter(to, 0, kMain);
  enter(to, 1000000, kSend);
  OTF2_EvtWriter_MpiSend(to, NULL, kOffset + 1000000, 1, 0, 7, 1000000);
  leave(to, 1000010, kSend);
  barrier(to, 1500010, 2300000);
  leave(to, 2300000, kMain);
}

static void rank_1(OTF2_EvtWriter* to) {
  enter(to, 0, kMain);
  enter(to, 200000, kRecv);
  OTF2_EvtWriter_MpiRecv(to, NULL, kOffset + 1300000, 0, 0, 7, 1000000);
  leave(to, 1300000, kRecv);
  OTF2_EvtWriter_MpiIrecvRequest(to, NULL, kOffset + 2300000, 11);
  OTF2_EvtWriter_MpiIsend(to, NULL, kOffset + 2300000, 1, 0, 8, 16, 12);
  enter(to, 2300000, kWaitall);
  OTF2_EvtWriter_MpiIsendComplete(to, NULL, kOffset + 2300000, 12);
  OTF2_EvtWriter_MpiIrecv(to, NULL, kOffset + 2300000, 1, 0, 8, 16, 11);
  leave(to, 2300000, kWaitall);
  barrier(to, 2300000, 2300000);
  leave(to, 2300000, kMain);
}

static void helper_thread(OTF2_EvtWriter* to) {
  enter(to, 100, kMain);
  leave(to, 200, kMain);
}

static void define(OTF2_GlobalDefWriter* to) {
  OTF2_GlobalDefWriter_WriteString(to, kRegions, "");
  for (OTF2_StringRef name = 0; name < kRegions; ++name) {
    OTF2_GlobalDefWriter_WriteString(to, name, names[name]);
  }
  OTF2_GlobalDefWriter_WriteClockProperties(to, 1000000, kOffset, 2400000,
                                            OTF2_UNDEFINED_TIMESTAMP);
  OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 0, kMain, kMain, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  for (uint32_t rank = 0; rank < 2; ++rank) {
    OTF2_GlobalDefWriter_WriteLocationGroup(to, rank, kMain, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
  }
  for (OTF2_LocationRef location = 0; location < 3; ++location) {
    OTF2_GlobalDefWriter_WriteLocation(to, location, kMain, OTF2_LOCATION_TYPE_CPU_THREAD, 8,
                                       location == 1 ? 1 : 0);
  }
  for (OTF2_RegionRef region = 0; region < kRegions; ++region) {
    OTF2_GlobalDefWriter_WriteRegion(to, region, region, region, kRegions,
                                     OTF2_REGION_ROLE_FUNCTION,
                                     region == kMain ? OTF2_PARADIGM_COMPILER : OTF2_PARADIGM_MPI,
                                     OTF2_REGION_FLAG_NONE, kRegions, 0, 0);
  }
  const uint64_t locations[] = {0, 1}, ranks[] = {0, 1};
  OTF2_GlobalDefWriter_WriteGroup(to, 0, kRegions, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                  OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, locations);
  OTF2_GlobalDefWriter_WriteGroup(to, 1, kRegions, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, 2, ranks);
  OTF2_GlobalDefWriter_WriteComm(to, 0, kRegions, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  OTF2_Archive* const archive =
      OTF2_Archive_Open(argv[1], "traces", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20,
                        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  const OTF2_FlushCallbacks callbacks = {flush, NULL};
  OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
  void (*const write[])(OTF2_EvtWriter*) = {rank_0, rank_1, helper_thread};
  for (OTF2_LocationRef location = 0; location < 3; ++location) {
    OTF2_EvtWriter* const to = OTF2_Archive_GetEvtWriter(archive, location);
    write[location](to);
    OTF2_Archive_CloseEvtWriter(archive, to);
  }
  OTF2_Archive_CloseEvtFiles(archive);
  OTF2_GlobalDefWriter* const definitions = OTF2_Archive_GetGlobalDefWriter(archive);
  define(definitions);
  OTF2_Archive_CloseGlobalDefWriter(archive, definitions);
  return OTF2_Archive_Close(archive) == OTF2_SUCCESS ? 0 : 1;
}
