// SPDX-License-Identifier: BSD-3-Clause
// Scripts of plans pass every value through the shell unchanged: they are run with a launcher that
// writes down what it gets.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/json_file.hpp"
#include "base/shell_word.hpp"
#include "base/subprocess.hpp"
#include "launcher/plan.hpp"
#include "plait/error.hpp"

namespace plait::launcher {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kOddTexts{
    "a b",         "it's \"so\"", "$(touch ran)", "`touch ran`", "x\ny", "$HOME",
    "a;touch ran", "~",           "\\n\\",        "*",           "#",    "",
    "END\nEND",    "!x",          "k=v w"};

class PlanScript : public testing::Test {
protected:
  void SetUp() override {
    fs::create_directories(folder_);
    // The launchers: arguments and environment with null bytes between, and the files they are to
    // read.
    for (const char* name : {"mpiexec", "srun"}) {
      write(name,
            "#!/bin/bash\nprintf '%s\\0' \"$@\" > \"$OUT/arguments\"\nenv -0 > \"$OUT/env\"\n"
            "for file in plait-*/*; do cp \"$file\" \"$OUT/$(basename \"$file\")\"; done\n");
    }
    write("scontrol", "#!/bin/bash\necho n0\necho n1\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const char* name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }

  /// Runs a script in the folder. @returns what the launcher got, without its own options
  std::vector<std::string> run(const std::string& script, std::size_t arguments) {
    write("script", script);
    const std::string command =
        fmt::format("cd {0} && PATH={0}:$PATH OUT={0} ./script", shell_word(folder_.string()));
    const CommandResult result = run_command({"bash", "-c", command}, std::chrono::seconds(60));
    EXPECT_EQ(result.exit_code, 0) << result.err << script;
    EXPECT_FALSE(fs::exists(folder_ / "ran")) << script;
    std::vector<std::string> got = split(read_text_file(folder_ / "arguments"));
    got.erase(got.begin(), got.end() - static_cast<std::ptrdiff_t>(arguments));
    return got;
  }

  /// The variables that the launcher got.
  std::vector<std::string> environment() { return split(read_text_file(folder_ / "env")); }

  static std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < text.size(); at += parts.back().size() + 1) {
      parts.emplace_back(text.c_str() + at);
    }
    return parts;
  }

  fs::path folder_ =
      fs::path(testing::TempDir()) / ("plait 'script' $(x) " + std::to_string(::getpid()));
};

Plan odd_plan(const std::vector<std::string>& nodes) {
  Plan plan;
  plan.name = "odd";
  plan.ranks = static_cast<int>(nodes.size());
  for (const std::string& node : nodes) {
    plan.places.push_back({node, machine::CpuSet::parse("0"), {}});
  }
  for (std::size_t i = 0; i < kOddTexts.size(); ++i) {
    plan.environment["ODD_" + std::to_string(i)] = kOddTexts[i];
  }
  return plan;
}

std::vector<std::string> odd_program() {
  std::vector<std::string> program{"./my app"};
  program.insert(program.end(), kOddTexts.begin(), kOddTexts.end());
  return program;
}

TEST_F(PlanScript, ArgumentsAndVariablesArriveAsTheyAre) {
  const Plan plan = odd_plan({"END", "b"});
  const std::vector<std::string> program = odd_program();
  for (const LauncherKind kind : {LauncherKind::openmpi4, LauncherKind::openmpi5,
                                  LauncherKind::mpich, LauncherKind::intel, LauncherKind::slurm}) {
    const Launcher launcher{kind, "", kind == LauncherKind::slurm ? "srun" : "mpiexec", ""};
    EXPECT_EQ(run(start_script(plan, launcher, program), program.size()), program);
    const std::vector<std::string> variables = environment();
    for (const auto& [name, value] : plan.environment) {
      EXPECT_EQ(std::count(variables.begin(), variables.end(), name + "=" + value), 1) << value;
    }
  }
}

TEST_F(PlanScript, FilesArriveAsTheyAre) {
  const Launcher launcher{LauncherKind::mpich, "", "mpiexec", ""};
  const Plan plan = odd_plan({"END", "END_", "b"});
  const PlannedCommand command = command_of(plan, launcher, {"./app"}, "d");
  ASSERT_FALSE(command.files.empty());
  run(start_script(plan, launcher, {"./app"}), 1);
  for (const auto& [name, content] : command.files) {
    EXPECT_EQ(read_text_file(folder_ / name), content) << name;
  }
}

TEST_F(PlanScript, ABatchScriptTakesTheNodesOfTheJob) {
  const std::vector<std::string> program = odd_program();
  EXPECT_EQ(run(slurm_script(odd_plan({"b", "a", "b"}), program), program.size()), program);
  EXPECT_EQ(read_text_file(folder_ / "hosts"), "n0\nn1\nn0\n");
}

TEST_F(PlanScript, NamesThatAShellWouldRunAreRefused) {
  Plan plan = odd_plan({"a"});
  const Launcher launcher{LauncherKind::mpich, "", "mpiexec", ""};
  for (const char* name : {"A;touch ran", "A B", "$(touch ran)", "A\ntouch ran", "1", "A-B"}) {
    plan.environment = {{name, "1"}};
    EXPECT_THROW(start_script(plan, launcher, {"./app"}), Error) << name;
    EXPECT_THROW(slurm_script(plan, {"./app"}), Error) << name;
    save_plan(folder_ / "plan.json", plan);
    EXPECT_THROW(load_plan(folder_ / "plan.json"), Error) << name;
  }
  for (const char* host : {"a b", "a;b", "$(ls)", "a\nb", "a'b", "a:1", "a,b", "-w\n"}) {
    EXPECT_THROW(check_host_names("--hosts", {host}), Error) << host;
  }
  EXPECT_NO_THROW(check_host_names("--hosts", {"", "n-0_1.example.org", "END"}));
}

}  // namespace
}  // namespace plait::launcher
