// SPDX-License-Identifier: BSD-3-Clause
// The field "computation" of profile.json.
#include "report/computation_json.hpp"

#include "base/json.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

json hot_spot_json(const HotSpotRow& of) {
  json value = place_to_json(of.place);
  value.update({{"share", of.share},
                {"low", of.low},
                {"high", of.high},
                {"time_s", of.time_s},
                {"ranks_share", of.ranks_share},
                {"worst_rank", of.worst_rank},
                {"worst_ratio", of.worst_ratio},
                {"worst_thread", of.worst_thread},
                {"explains_imbalance", of.explains_imbalance}});
  return value;
}

HotSpotRow hot_spot_from(const json& value) {
  HotSpotRow of;
  of.place = place_from_json(value);
  value.at("share").get_to(of.share);
  value.at("low").get_to(of.low);
  value.at("high").get_to(of.high);
  value.at("time_s").get_to(of.time_s);
  value.at("ranks_share").get_to(of.ranks_share);
  value.at("worst_rank").get_to(of.worst_rank);
  value.at("worst_ratio").get_to(of.worst_ratio);
  value.at("worst_thread").get_to(of.worst_thread);
  value.at("explains_imbalance").get_to(of.explains_imbalance);
  return of;
}

json difference_json(const DifferenceRow& of) {
  json value = place_to_json(of.place);
  value.update({{"rank", of.rank},
                {"rank_s", of.rank_s},
                {"mean_s", of.mean_s},
                {"ratio", of.ratio},
                {"explains", of.explains}});
  return value;
}

DifferenceRow difference_from(const json& value) {
  DifferenceRow of;
  of.place = place_from_json(value);
  value.at("rank").get_to(of.rank);
  value.at("rank_s").get_to(of.rank_s);
  value.at("mean_s").get_to(of.mean_s);
  value.at("ratio").get_to(of.ratio);
  value.at("explains").get_to(of.explains);
  return of;
}

}  // namespace

json place_to_json(const FunctionPlace& of) {
  return {{"function", of.function}, {"file", of.file}, {"line", of.line}, {"module", of.module}};
}

FunctionPlace place_from_json(const json& value) {
  return {value.at("function").get<std::string>(), value.at("file").get<std::string>(),
          value.at("line").get<int>(), value.at("module").get<std::string>()};
}

json computation_to_json(const Computation& of) {
  json spots = json::array();
  for (const HotSpotRow& spot : of.hot_spots) spots.push_back(hot_spot_json(spot));
  return {{"rate_hz", of.rate_hz},
          {"clock", of.clock},
          {"samples", of.samples},
          {"code_share", of.code_share},
          {"mpi_share", of.mpi_share},
          {"openmp_share", of.openmp_share},
          {"waiting_share", of.waiting_share},
          {"lost", of.lost},
          {"truncated", of.truncated},
          {"sample_us", of.sample_us},
          {"overhead_percent", of.overhead_percent},
          {"hot_spots", std::move(spots)},
          {"difference", of.difference ? difference_json(*of.difference) : json(nullptr)}};
}

Computation computation_from_json(const json& value) {
  Computation of;
  value.at("rate_hz").get_to(of.rate_hz);
  value.at("clock").get_to(of.clock);
  value.at("samples").get_to(of.samples);
  value.at("code_share").get_to(of.code_share);
  value.at("mpi_share").get_to(of.mpi_share);
  value.at("openmp_share").get_to(of.openmp_share);
  value.at("waiting_share").get_to(of.waiting_share);
  value.at("lost").get_to(of.lost);
  value.at("truncated").get_to(of.truncated);
  value.at("sample_us").get_to(of.sample_us);
  value.at("overhead_percent").get_to(of.overhead_percent);
  for (const json& one : value.at("hot_spots")) of.hot_spots.push_back(hot_spot_from(one));
  const json& differs = value.at("difference");
  if (!differs.is_null()) of.difference = difference_from(differs);
  return of;
}

}  // namespace plait::report
