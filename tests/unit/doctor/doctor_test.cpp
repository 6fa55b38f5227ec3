// SPDX-License-Identifier: BSD-3-Clause
// What plait doctor says of a system, as text and as JSON.
#include "doctor/doctor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace plait::doctor {
namespace {

launcher::Launcher launcher(launcher::LauncherKind kind, const std::string& version) {
  return {kind, version, "", ""};
}

/// True if a text has this part, perhaps with a line break in place of a space.
bool contains(std::string text, const std::string& part) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\n'; };
  text.erase(std::unique(text.begin(), text.end(),
                         [&](char a, char b) { return is_blank(a) && is_blank(b); }),
             text.end());
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.find(part) != text.npos;
}

/// A system with all that Plait can use, and all that it warns of.
Diagnosis rich() {
  Diagnosis diagnosis;
  diagnosis.plait_version = "1.2.3";
  diagnosis.host = "node7";
  diagnosis.hwloc_version = "2.9";
  diagnosis.allowed_cores = 8;
  diagnosis.preload_objects = {"openmpi", "mpich"};
  diagnosis.report_page = true;
  diagnosis.stored_machine = "/data/node7.json";
  diagnosis.mpis.push_back(
      {launcher(launcher::LauncherKind::openmpi4, "4.1.4"), true, {"/usr/lib/libmpi.so.40"}});
  diagnosis.omp_runtimes = {{"libgomp", "/usr/lib/libgomp.so.1", false},
                            {"libomp", "/usr/lib/libomp.so.5", true}};
  diagnosis.rights.perf_event_paranoid = 3;
  diagnosis.rights.hardware_counters_problem = "Permission denied";
  diagnosis.rights.software_counters = true;
  diagnosis.rights.ptrace_scope = 1;
  diagnosis.rights.cma = true;
  diagnosis.rights.shm_bytes = 8ULL << 30;
  diagnosis.hazards.push_back({{"some-hazard",
                                {"openmpi"},
                                ">=4.1 <4.2",
                                "jobs hang",
                                "seen twice",
                                "set it off",
                                "run this",
                                {}},
                               "Open MPI 4.1.4"});
  run::Quarantined entry;
  entry.id = "openmpi-7";
  entry.mpi = "openmpi";
  entry.version = "4.1.4";
  entry.host = "node7";
  entry.settings = {"OMPI_MCA_btl=nosuch"};
  entry.what.kind = run::Outcome::hung;
  entry.what.limit_s = 10;
  entry.when = "2026-11-22T08:00:00.000Z";
  diagnosis.quarantine.push_back(entry);
  return diagnosis;
}

TEST(Doctor, TheVerdictComesFirstAndNamesWhatCanBeMeasured) {
  Diagnosis diagnosis;
  diagnosis.allowed_cores = 2;
  diagnosis.preload_objects = {"openmpi"};
  diagnosis.mpis.push_back({launcher(launcher::LauncherKind::openmpi4, "4.1.4"), true, {}});
  diagnosis.mpis.push_back({launcher(launcher::LauncherKind::mpich, "4.0.2"), false, {}});
  const std::string text = diagnosis_text(diagnosis);
  EXPECT_EQ(text.rfind("Verdict     Programs of Open MPI 4.1.4 can be measured;", 0), 0U) << text;
  EXPECT_NE(text.find("no preload object"), std::string::npos);
  diagnosis.rights.cgroup_quota_cores = 0.5;
  EXPECT_NE(diagnosis_verdict(diagnosis).find("the cgroup quota is only 0.5 of 2 cores"),
            std::string::npos);
  diagnosis.preload_objects.clear();
  EXPECT_EQ(diagnosis_verdict(diagnosis),
            "Programs cannot be measured: the preload objects of Plait are missing.");
}

TEST(Doctor, TheTextNamesWhatIsThereWhatIsNotAndWhatToDoNext) {
  const std::string text = diagnosis_text(rich());
  for (const char* part :
       {"libomp with OMPT", "libgomp, no OMPT", "HTML page available", "measured: /data/node7.json",
        "8 allowed, no cgroup quota; hwloc 2.9",
        "no hardware counters (Permission denied), software events; perf_event_paranoid 3",
        "process_vm_readv works (single-copy messages); ptrace_scope 1", "8 GiB, 0 B free",
        "- some-hazard (Open MPI 4.1.4)", "jobs hang", "set it off", "- openmpi-7",
        "OMPI_MCA_btl=nosuch", "started on node7", " Next: plait run -- mpiexec -n 2 ./app "}) {
    EXPECT_TRUE(contains(text, part)) << part << " is missing in\n" << text;
  }
}

TEST(Doctor, ABareSystemIsDescribedAsWell) {
  const std::string text = diagnosis_text({});
  for (const char* part :
       {"none found: install one or load its module", "no runtime found",
        "none: install Plait again", "no HTML page", "not measured", "no hardware counters",
        "large messages are copied twice", " Next: plait measure --quick "}) {
    EXPECT_TRUE(contains(text, part)) << part << " is missing in\n" << text;
  }
  EXPECT_FALSE(contains(text, "Known hazards") || contains(text, "quarantine"));
  Diagnosis no_mpi;
  no_mpi.preload_objects = {"openmpi"};
  EXPECT_EQ(diagnosis_verdict(no_mpi), "No MPI was found that this Plait can measure.");
}

TEST(Doctor, JsonHasEachPart) {
  const nlohmann::json json = diagnosis_to_json(rich());
  EXPECT_EQ(json["schema"], "plait-doctor");
  EXPECT_EQ(json["host"], "node7");
  EXPECT_EQ(json["stored_machine"], "/data/node7.json");
  EXPECT_EQ(json["mpis"][0]["kind"], "openmpi");
  EXPECT_EQ(json["mpis"][0]["libraries"][0], "/usr/lib/libmpi.so.40");
  EXPECT_EQ(json["omp_runtimes"][1],
            (nlohmann::json{{"name", "libomp"}, {"path", "/usr/lib/libomp.so.5"}, {"ompt", true}}));
  EXPECT_EQ(json["rights"]["perf_event_paranoid"], 3);
  EXPECT_TRUE(json["rights"]["cgroup_quota_cores"].is_null());
  EXPECT_EQ(json["hazards"][0]["remedy"], "set it off");
  EXPECT_EQ(json["quarantine"][0]["ending"], "hung");
  EXPECT_EQ(json["verdict"], "Programs of Open MPI 4.1.4 can be measured.");
  EXPECT_TRUE(diagnosis_to_json({})["stored_machine"].is_null());
}

}  // namespace
}  // namespace plait::doctor
