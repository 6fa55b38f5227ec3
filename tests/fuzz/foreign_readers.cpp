// SPDX-License-Identifier: BSD-3-Clause
// Files that other libraries read for Plait, in child processes: hwloc's topologies, OTF2 archives.
#include "machine/discover.hpp"
#include "machine/show.hpp"
#include "plait/error.hpp"
#include "readers.hpp"
#ifdef PLAIT_HAS_OTF2
#include "export/otf2/imported.hpp"
#include "trace/trace.hpp"
#endif

namespace plait::fuzz {

void read_hwloc_xml(Bytes bytes) {
  use(machine::show(machine::discover_xml(write("topology.xml", bytes))));
}

void read_synthetic(Bytes bytes) {
  use(machine::show(machine::discover_synthetic(std::string(text_of(bytes)))));
}

#ifdef PLAIT_HAS_OTF2
/// The anchor file, the global definitions, and the definitions and events of four locations.
void read_otf2(Bytes bytes) {
  empty_folder("archive");
  empty_folder("imported");
  const auto parts = parts_of(bytes, 10);
  const auto anchor = write("archive/traces.otf2", parts[0]);
  write("archive/traces.def", parts[1]);
  for (std::size_t location = 0; 2 + 2 * location < parts.size(); ++location) {
    const std::string name = "archive/traces/" + std::to_string(location);
    write(name + ".def", parts[2 + 2 * location]);
    write(name + ".evt", parts[3 + 2 * location]);
  }
  otf2::silence_libotf2();
  otf2::import_otf2(anchor, folder() / "imported");
  trace::read_trace(folder() / "imported");
}
#endif

}  // namespace plait::fuzz
