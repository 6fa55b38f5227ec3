// SPDX-License-Identifier: BSD-3-Clause
// The names of transports and packings, as options and environment variables have them.
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "plait/error.hpp"
#include "plait/halo.hpp"

namespace plait {
namespace {

template <class T, std::size_t count>
using Names = std::array<std::pair<std::string_view, T>, count>;

constexpr Names<Transport, 5> transports{{{"automatic", Transport::automatic},
                                          {"point_to_point", Transport::point_to_point},
                                          {"persistent", Transport::persistent},
                                          {"neighborhood", Transport::neighborhood},
                                          {"shared_memory", Transport::shared_memory}}};
constexpr Names<Packing, 3> packings{{{"automatic", Packing::automatic},
                                      {"threads", Packing::threads},
                                      {"datatypes", Packing::datatypes}}};

template <class T, std::size_t count>
std::string name_of(const Names<T, count>& names, T value) {
  for (const auto& [name, known] : names) {
    if (known == value) return std::string(name);
  }
  return "";
}

template <class T, std::size_t count>
T value_of(const Names<T, count>& names, const char* kind, const std::string& text) {
  std::string all;
  for (const auto& [name, value] : names) {
    if (name == text) return value;
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  throw Error(text, "is no " + std::string(kind), "use one of " + all);
}

}  // namespace

std::string to_string(Transport transport) {
  return name_of(transports, transport);
}
std::string to_string(Packing packing) {
  return name_of(packings, packing);
}

Transport parse_transport(const std::string& text) {
  return value_of(transports, "transport", text);
}
Packing parse_packing(const std::string& text) {
  return value_of(packings, "packing", text);
}

}  // namespace plait
