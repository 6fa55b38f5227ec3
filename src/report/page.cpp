// SPDX-License-Identifier: BSD-3-Clause
// The report as one HTML file: data put into the page's template.
#include "report/page.hpp"

#include <fmt/format.h>

#include "base/failure.hpp"
#include "base/json_file.hpp"
#include "base/layout.hpp"
#include "plait/error.hpp"
#include "report/page_analysis.hpp"
#include "report/page_profile.hpp"
#include "report/source_lines.hpp"
#include "samples/call_tree.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

/// The contents of a JSON file; null when it is missing or damaged.
json read_if_there(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return nullptr;
  try {
    return parse_json(read_text_file(path));
  } catch (const json::exception&) {
    return nullptr;
  }
}

/// Adds the samples of a run and the source around its hot lines; nothing if they are missing or
/// damaged.
void add_samples(const std::filesystem::path& run_dir, json& page) {
  const std::filesystem::path file = samples::call_tree_file(run_dir);
  if (!std::filesystem::exists(file)) return;
  try {
    const samples::CallTree tree = samples::read_call_tree(file);
    page["samples"] = samples::to_json(tree);
    page["sources"] = source_lines(tree);
  } catch (const Error&) {
    // The page says so where its samples would be.
    page["samples"] = json::object();
  }
}

}  // namespace

std::string script_json(const json& value) {
  const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size() + text.size() / 16);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view three = std::string_view(text).substr(i, 3);
    if (three == "\u2028" || three == "\u2029") {
      safe += three == "\u2028" ? "\\u2028" : "\\u2029";
      i += 2;
    } else if (text[i] == '<' || text[i] == '>' || text[i] == '&') {
      safe += fmt::format("\\u{:04x}", static_cast<unsigned>(text[i]));
    } else {
      safe += text[i];
    }
  }
  return safe;
}

std::string fill_template(const std::string& page, const json& data) {
  constexpr std::string_view kOpen = R"(<script id="plait-data" type="application/json">)";
  constexpr std::string_view kPlace = "null</script>";
  const std::size_t open = page.find(std::string(kOpen) + std::string(kPlace));
  if (open == std::string::npos) {
    throw Failure("report.html", "the page template has no place for data", "install Plait again");
  }
  const std::size_t at = open + kOpen.size();
  return page.substr(0, at) + script_json(data) + page.substr(at + std::string_view("null").size());
}

std::string write_page(const json& data, const std::filesystem::path& file) {
  const std::filesystem::path page = install_layout().share / "report.html";
  if (!std::filesystem::exists(page)) {
    return fmt::format("no HTML page: its template {} was not built (that needs Node.js)",
                       page.string());
  }
  write_text_file(file, fill_template(read_text_file(page), data));
  return "";
}

std::string write_html(const Profile& profile, const std::filesystem::path& run_dir,
                       const std::filesystem::path& file, const json& comparison,
                       const json& timeline) {
  json page{{"profile", page_profile(profile)},
            {"machine", read_if_there(run_dir / "machine.json")},
            {"analysis", page_analysis(read_if_there(run_dir / "analysis.json"))},
            {"timeline", timeline},
            {"compare", comparison}};
  add_samples(run_dir, page);
  return write_page(page, file);
}

}  // namespace plait::report
