// SPDX-License-Identifier: BSD-3-Clause
// Reads the zones of /sys/class/powercap (RAPL), of which most systems let only root read energy.
#include "preload/memory/energy.hpp"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/placement/proc_files.hpp"
#include "preload/recorder.hpp"

namespace plait::preload {

namespace {

constexpr uint32_t kMostZones = 64;
constexpr int kMostPackages = 16, kMostParts = 8;

char zones[kMostZones][64];  // folders, in the order of their entries
uint32_t zone_count;
bool looked;

// The number or word in FOLDER/ZONE/FILE. False: it cannot be read.
bool read_zone(const char* folder, const char* zone, const char* file, char* text, size_t room) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s/%s", folder, zone, file);
  if (read_text(path, text, room) <= 0) return false;
  text[strcspn(text, "\n")] = '\0';
  return true;
}

bool energy_of(const char* folder, const char* zone, uint64_t* energy_uj) {
  char text[64];
  if (!read_zone(folder, zone, "energy_uj", text, sizeof text)) return false;
  *energy_uj = strtoull(text, nullptr, 10);
  return true;
}

// False: there is no such zone, or it cannot be read.
bool add_zone(const char* folder, const char* zone, const char* outer) {
  uint64_t energy_uj;
  char text[64], name[128], own[64] = "";
  if (zone_count == kMostZones || !energy_of(folder, zone, &energy_uj)) return false;
  auto* kept = static_cast<plait_energy_record*>(append(PLAIT_SECTION_ENERGY));
  if (!kept) return false;
  read_zone(folder, zone, "name", own, sizeof own);
  snprintf(name, sizeof name, "%s%s%s", outer, *outer ? "/" : "", own);
  kept->name = add_string(name);
  kept->last_uj = energy_uj;
  if (read_zone(folder, zone, "max_energy_range_uj", text, sizeof text))
    kept->range_uj = strtoull(text, nullptr, 10);
  publish(PLAIT_SECTION_ENERGY);
  snprintf(zones[zone_count++], sizeof zones[0], "%s", zone);
  return true;
}

// intel-rapl:0 is a package, or the platform, and intel-rapl:0:1 a part of it. AMD's have these
// names, too.
void find_zones(const char* folder) {
  for (int package = 0; package < kMostPackages; ++package) {
    char zone[64], name[64] = "";
    snprintf(zone, sizeof zone, "intel-rapl:%d", package);
    if (!read_zone(folder, zone, "name", name, sizeof name)) return;
    add_zone(folder, zone, "");
    for (int part = 0; part < kMostParts; ++part) {
      snprintf(zone, sizeof zone, "intel-rapl:%d:%d", package, part);
      if (!add_zone(folder, zone, name)) break;
    }
  }
}

}  // namespace

void sample_energy(const char* folder) {
  if (!record) return;
  if (!looked) {
    looked = true;
    return find_zones(folder);
  }
  for (uint32_t i = 0; i < zone_count; ++i) {
    auto* kept = entry_at<plait_energy_record>(PLAIT_SECTION_ENERGY, i);
    uint64_t energy_uj = 0;
    if (!energy_of(folder, zones[i], &energy_uj)) continue;
    kept->used_uj += energy_uj >= kept->last_uj ? energy_uj - kept->last_uj
                                                : kept->range_uj - kept->last_uj + energy_uj;
    kept->last_uj = energy_uj;
  }
}

}  // namespace plait::preload
