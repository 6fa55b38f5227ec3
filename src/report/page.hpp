// SPDX-License-Identifier: BSD-3-Clause
// The report as one HTML file: data put into the page's template.
#pragma once

#include <filesystem>
#include <string>

#include "base/json.hpp"
#include "report/profile.hpp"

namespace plait::report {

/// JSON that is safe within a <script> element: escapes <, >, &, U+2028 and U+2029 and replaces
/// bytes that are not UTF-8.
std::string script_json(const nlohmann::json& value);

/// The page's template with `data` in place of the null of its
/// `<script id="plait-data" type="application/json">null</script>`.
/// @throws Error when the template has no such place.
std::string fill_template(const std::string& page, const nlohmann::json& data);

/// Writes a page with `data`: {"profile": ...} of a run, {"prediction": ...} or {"apply": ...}.
/// @return empty, or one sentence why there is no page (its template was not built or installed)
/// @throws Error when the file cannot be written.
std::string write_page(const nlohmann::json& data, const std::filesystem::path& file);

/// Writes the page of a run: its profile, and machine.json, analysis.json and samples.json if its
/// directory has them, the last one with the source around its hot lines.
/// @param comparison  with another run, from comparison_to_json, or null
/// @param timeline  from timeline_to_json, or null
/// @return, @throws as write_page
std::string write_html(const Profile& profile, const std::filesystem::path& run_dir,
                       const std::filesystem::path& file,
                       const nlohmann::json& comparison = nullptr,
                       const nlohmann::json& timeline = nullptr);

}  // namespace plait::report
