// SPDX-License-Identifier: BSD-3-Clause
// Reads all events of an OTF2 archive, location by location, with callbacks that only count.
#include <otf2/otf2.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

std::uint64_t records = 0;

OTF2_CallbackCode count(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void*, OTF2_AttributeList*,
                        OTF2_RegionRef) {
  ++records;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode count_message(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void*,
                                OTF2_AttributeList*, std::uint32_t, OTF2_CommRef, std::uint32_t,
                                std::uint64_t) {
  ++records;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode count_request(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void*,
                                OTF2_AttributeList*, std::uint32_t, OTF2_CommRef, std::uint32_t,
                                std::uint64_t, std::uint64_t) {
  ++records;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode count_collective(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void*,
                                   OTF2_AttributeList*, OTF2_CollectiveOp, OTF2_CommRef,
                                   std::uint32_t, std::uint64_t, std::uint64_t) {
  ++records;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode add_location(void* locations, OTF2_LocationRef self, OTF2_StringRef,
                               OTF2_LocationType, std::uint64_t, OTF2_LocationGroupRef) {
  static_cast<std::vector<OTF2_LocationRef>*>(locations)->push_back(self);
  return OTF2_CALLBACK_SUCCESS;
}

bool read_location(OTF2_Reader* reader, OTF2_LocationRef location,
                   const OTF2_EvtReaderCallbacks* on) {
  OTF2_EvtReader* const events = OTF2_Reader_GetEvtReader(reader, location);
  std::uint64_t read = 0;
  const bool done = events != nullptr &&
                    OTF2_Reader_RegisterEvtCallbacks(reader, events, on, nullptr) == OTF2_SUCCESS &&
                    OTF2_Reader_ReadAllLocalEvents(reader, events, &read) == OTF2_SUCCESS;
  if (events != nullptr) OTF2_Reader_CloseEvtReader(reader, events);
  return done;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "otf2_read: 1 argument needed; pass traces.otf2 of an archive\n");
    return 2;
  }
  const std::unique_ptr<OTF2_Reader, OTF2_ErrorCode (*)(OTF2_Reader*)> reader(
      OTF2_Reader_Open(argv[1]), OTF2_Reader_Close);
  if (!reader || OTF2_Reader_SetSerialCollectiveCallbacks(reader.get()) != OTF2_SUCCESS) return 1;
  std::vector<OTF2_LocationRef> locations;
  OTF2_GlobalDefReader* const definitions = OTF2_Reader_GetGlobalDefReader(reader.get());
  OTF2_GlobalDefReaderCallbacks* const on_definition = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(on_definition, add_location);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader.get(), definitions, on_definition, &locations);
  OTF2_GlobalDefReaderCallbacks_Delete(on_definition);
  std::uint64_t read = 0;
  if (OTF2_Reader_ReadAllGlobalDefinitions(reader.get(), definitions, &read) != OTF2_SUCCESS) {
    return 1;
  }
  for (const OTF2_LocationRef location : locations) {
    OTF2_Reader_SelectLocation(reader.get(), location);
  }
  if (OTF2_Reader_OpenEvtFiles(reader.get()) != OTF2_SUCCESS) return 1;
  OTF2_EvtReaderCallbacks* const on = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetEnterCallback(on, count);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(on, count);
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(on, count_message);
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(on, count_message);
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(on, count_request);
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(on, count_request);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(on, count_collective);
  bool all = true;
  for (const OTF2_LocationRef location : locations) {
    all = read_location(reader.get(), location, on) && all;
  }
  OTF2_EvtReaderCallbacks_Delete(on);
  std::printf("%llu records of %zu locations\n", static_cast<unsigned long long>(records),
              locations.size());
  return all && records > 0 ? 0 : 1;
}
