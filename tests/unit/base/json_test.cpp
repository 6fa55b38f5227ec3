// SPDX-License-Identifier: BSD-3-Clause
// Tests that JSON numbers are checked, depth is limited, and errors are about the file.
#include "base/json.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <optional>
#include <vector>

#include "base/json_file.hpp"
#include "plait/error.hpp"

namespace plait {
namespace {

using nlohmann::json;

struct Pair {
  int count = 0;
  double share = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Pair, count, share)

template <class To>
std::string refusal(const json& value) {
  try {
    value.get<To>();
  } catch (const json::exception& error) {
    return json_reason(error);
  }
  return "accepted";
}

TEST(Json, NumbersOutOfRangeAreRefused) {
  EXPECT_EQ(refusal<int>(4294967297), "number 4294967297 is out of range");
  EXPECT_EQ(refusal<int>(-2147483649), "number -2147483649 is out of range");
  EXPECT_EQ(refusal<int>(1e308), "number 1e+308 is out of range");
  EXPECT_EQ(refusal<std::int64_t>(18446744073709551615U),
            "number 18446744073709551615 is out of range");
  EXPECT_EQ(refusal<std::uint64_t>(-1), "number -1 is out of range");
  EXPECT_EQ(refusal<std::uint32_t>(4294967296), "number 4294967296 is out of range");
  EXPECT_EQ(refusal<std::uint16_t>(65536), "number 65536 is out of range");
  EXPECT_EQ(refusal<float>(1e39), "number 1e+39 is out of range");
  EXPECT_EQ(json(2147483647).get<int>(), 2147483647);
  EXPECT_EQ(json(-2147483648).get<int>(), -2147483647 - 1);
  EXPECT_EQ(json(18446744073709551615U).get<std::uint64_t>(), 18446744073709551615U);
}

TEST(Json, OnlyWholeNumbersBecomeIntegers) {
  EXPECT_EQ(refusal<int>(1.5), "number 1.5 is not an integer");
  EXPECT_EQ(refusal<int>(true), "type must be number, but is boolean");
  EXPECT_EQ(refusal<double>("1"), "type must be number, but is string");
  EXPECT_EQ(refusal<double>(nullptr), "type must be number, but is null");
  EXPECT_EQ(json(3.0).get<int>(), 3);
  EXPECT_EQ(json(3).get<double>(), 3.0);
}

TEST(Json, NumbersInsideOtherValuesAreChecked) {
  EXPECT_EQ(refusal<std::vector<int>>({1, 1e10}), "number 10000000000.0 is out of range");
  EXPECT_EQ((refusal<std::map<std::string, int>>({{"a", 1.5}})), "number 1.5 is not an integer");
  EXPECT_EQ((refusal<std::array<int, 2>>({1, 1e10})), "number 10000000000.0 is out of range");
  EXPECT_EQ((refusal<std::pair<int, double>>({1e10, 1})), "number 10000000000.0 is out of range");
  EXPECT_EQ(refusal<Pair>({{"count", 4294967297}, {"share", 1}}),
            "number 4294967297 is out of range");
  const json object = {{"n", 4294967297}};
  EXPECT_THROW((void)object.value("n", 0), json::exception);
  EXPECT_THROW((void)static_cast<int>(object.at("n")), json::exception);
  int n = 0;
  EXPECT_THROW(object.at("n").get_to(n), json::exception);
}

TEST(Json, DepthIsLimited) {
  const auto nested = [](int levels) {
    return std::string(static_cast<std::size_t>(levels), '[') +
           std::string(static_cast<std::size_t>(levels), ']');
  };
  EXPECT_EQ(parse_json(nested(kMostJsonLevels)).size(), 1U);
  EXPECT_THROW(parse_json(nested(kMostJsonLevels + 1)), JsonError);
  EXPECT_THROW(parse_json(nested(1'000'000)), JsonError);
  EXPECT_EQ(parse_json(R"(["[[[[\"[[[[\\"])")[0], "[[[[\"[[[[\\");
  std::string many = "[";
  for (int i = 0; i < 1000; ++i) many += "[1],";
  EXPECT_EQ(parse_json(many + "[]]").size(), 1001U);
}

TEST(Json, TextThatIsNotJsonIsRefusedWithItsLine) {
  try {
    parse_json("{\"a\": 1,\n\"b\": }\n");
    FAIL();
  } catch (const JsonError& error) {
    EXPECT_STREQ(error.what(), "not JSON (line 2)");
  }
  try {
    parse_json("[1e999]");
    FAIL();
  } catch (const JsonError& error) {
    EXPECT_STREQ(error.what(), "number overflow parsing '1e999'");
  }
}

class DamagedJsonFile : public ::testing::Test {
protected:
  ~DamagedJsonFile() override { std::filesystem::remove(file_); }

  /// The error of reading a file with this text as schema "s", version 1, with a member n.
  std::string error_of(const std::string& text) {
    std::ofstream(file_) << text;
    try {
      const json value = read_json_file(file_, "s", 1, "make it again");
      convert_json(file_, "make it again", [&] { return value.at("n").get<int>(); });
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(file_.string() + ": ")) << message;
      return message.substr(std::min(message.size(), file_.string().size() + 2));
    }
    return "accepted";
  }

  std::filesystem::path file_ =
      std::filesystem::path(::testing::TempDir()) /
      ("plait-json-" +
       std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(DamagedJsonFile, ErrorsNameTheFileTheReasonAndTheRemedy) {
  EXPECT_EQ(error_of(R"({"schema": "s", "schema_version": 1, "n": 5})"), "accepted");
  EXPECT_EQ(error_of(""), "damaged: not JSON (line 1); make it again");
  EXPECT_EQ(error_of(std::string(50'000, '[')),
            "damaged: nested more than 100 levels deep; make it again");
  EXPECT_EQ(error_of("[]"), "damaged: not a JSON object; make it again");
  EXPECT_EQ(error_of("{}"), "not a s file; check the path");
  EXPECT_EQ(error_of(R"({"schema": 7})"), "not a s file; check the path");
  EXPECT_EQ(error_of(R"({"schema": "s"})"), "has no s version; write it again with this Plait");
  EXPECT_EQ(error_of(R"({"schema": "s", "schema_version": "1"})"),
            "has no s version; write it again with this Plait");
  for (const char* version : {"4294967297", "2", "-1", "1.5", "1e+308"}) {
    EXPECT_EQ(error_of(std::string(R"({"schema": "s", "schema_version": )") + version + "}"),
              std::string("has s version ") + version +
                  ", but this Plait reads version 1; write it again with this Plait");
  }
  EXPECT_EQ(error_of(R"({"schema": "s", "schema_version": 1, "n": 1e308})"),
            "damaged: number 1e+308 is out of range; make it again");
  EXPECT_EQ(error_of(R"({"schema": "s", "schema_version": 1})"),
            "damaged: key 'n' not found; make it again");
}

TEST_F(DamagedJsonFile, AnErrorAboutAValueNamesTheFile) {
  std::ofstream(file_) << "x";
  const auto fail = [&] {
    convert_json(file_, "", []() -> int { throw Error("\"a-\"", "not a list", "write 0-3"); });
  };
  try {
    fail();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), file_.string() + ": damaged: \"a-\": not a list; write 0-3");
  }
}

TEST_F(DamagedJsonFile, AStreamWithoutEndAndAFolderAreRefused) {
  EXPECT_THROW(read_text_file("/dev/zero"), Error);
  EXPECT_THROW(read_text_file("/"), Error);
  EXPECT_EQ(read_text_file("/dev/null"), "");
}

}  // namespace
}  // namespace plait
