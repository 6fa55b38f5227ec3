// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes schedules as text, for options and the environment variable PLAIT_SCHEDULE.
#include "plait/schedule.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "plait/error.hpp"

namespace plait {
namespace {

constexpr std::array kinds{ScheduleKind::blocking,    ScheduleKind::nonblocking,
                           ScheduleKind::polled,      ScheduleKind::comm_thread,
                           ScheduleKind::tasks,       ScheduleKind::grains,
                           ScheduleKind::partitioned, ScheduleKind::automatic};
constexpr std::array waits{Wait::automatic, Wait::spin, Wait::yield, Wait::sleep};
constexpr std::array communicators{Communicator::automatic, Communicator::team_thread,
                                   Communicator::extra_thread};

/// The names of all values: "a, b, c".
template <class Values>
std::string names_of(const Values& values) {
  std::string names;
  for (const auto value : values) names += (names.empty() ? "" : ", ") + to_string(value);
  return names;
}

/// The value named `text`.
template <class Values>
auto value_named(const Values& values, std::string_view text)
    -> std::optional<typename Values::value_type> {
  for (const auto value : values) {
    if (to_string(value) == text) return value;
  }
  return std::nullopt;
}

/// A whole number >= 0; nothing else may be in `text`.
std::optional<int> count_in(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::optional<std::chrono::microseconds> pause_in(std::string_view text) {
  int us_per_unit = 0;
  if (text.ends_with("us")) us_per_unit = 1;
  if (text.ends_with("ms")) us_per_unit = 1000;
  if (us_per_unit == 0) return std::nullopt;
  const auto count = count_in(text.substr(0, text.size() - 2));
  if (!count || *count < 1 || *count > 1'000'000 / us_per_unit) return std::nullopt;
  return std::chrono::microseconds{*count * us_per_unit};
}

std::optional<Int3> block_in(std::string_view text) {
  Int3 block{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto cross = axis < 2 ? text.find('x') : text.size();
    if (cross == std::string_view::npos) return std::nullopt;
    const auto count = count_in(text.substr(0, cross));
    if (!count) return std::nullopt;
    block[axis] = *count;
    text.remove_prefix(axis < 2 ? cross + 1 : cross);
  }
  return block;
}

/// Reads a schedule from text; `name` is the text's name in error messages.
class Parser {
public:
  Parser(std::string name, std::string_view text) : name_(std::move(name)), rest_(text) {}

  Schedule parse() {
    const std::string_view item = next();
    const auto kind = value_named(kinds, item);
    if (!kind) {
      refuse("unknown schedule \"" + std::string(item) + "\"", "use one of " + names_of(kinds));
    }
    Schedule schedule(*kind);
    while (more_) option(schedule, next());
    if (schedule.communicator != Communicator::automatic && *kind != ScheduleKind::comm_thread) {
      refuse("communicator= applies to comm_thread only, not to " + to_string(*kind),
             "leave it out, or use comm_thread");
    }
    if (schedule.poll.count() != 0 && schedule.wait != Wait::automatic &&
        schedule.wait != Wait::sleep) {
      refuse("poll= applies to wait=sleep only, not to wait=" + to_string(schedule.wait),
             "leave one of them out");
    }
    return schedule;
  }

private:
  /// The text up to the next comma.
  std::string_view next() {
    const auto comma = rest_.find(',');
    const std::string_view item = rest_.substr(0, comma);
    more_ = comma != std::string_view::npos;
    rest_.remove_prefix(more_ ? comma + 1 : rest_.size());
    return item;
  }

  void option(Schedule& schedule, std::string_view item) {
    const auto equals = item.find('=');
    const std::string key(item.substr(0, equals));
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view{} : item.substr(equals + 1);
    if (key == "wait") {
      schedule.wait = need(value_named(waits, value), item, "wait= and one of " + names_of(waits));
    } else if (key == "communicator") {
      schedule.communicator = need(value_named(communicators, value), item,
                                   "communicator= and one of " + names_of(communicators));
    } else if (key == "poll") {
      schedule.poll = need(pause_in(value), item, "poll=100us or poll=1ms, at most 1000ms");
    } else if (key == "block") {
      schedule.block =
          need(block_in(value), item, "block=0x16x16 (cells along x, y and z; 0: chosen by Plait)");
    } else {
      refuse("unknown option \"" + key + "\"", "use wait=, poll=, communicator= or block=");
    }
  }

  template <class T>
  T need(const std::optional<T>& value, std::string_view item, const std::string& remedy) const {
    if (!value) refuse("invalid option \"" + std::string(item) + "\"", "use " + remedy);
    return *value;
  }

  [[noreturn]] void refuse(const std::string& reason, const std::string& remedy) const {
    throw Error(name_, reason, remedy);
  }

  std::string name_;
  std::string_view rest_;
  bool more_ = true;
};

}  // namespace

Schedule Schedule::parse(const std::string& text) {
  return Parser("schedule \"" + text + "\"", text).parse();
}

Schedule Schedule::from_environment(const Schedule& fallback) {
  const char* text = std::getenv("PLAIT_SCHEDULE");
  if (text == nullptr || *text == '\0') return fallback;
  return Parser("PLAIT_SCHEDULE=" + std::string(text), text).parse();
}

Schedule Schedule::from_environment() {
  return from_environment(Schedule{});
}

Wait parse_wait(const std::string& text) {
  if (const auto wait = value_named(waits, text)) return *wait;
  throw Error("wait \"" + text + "\"", "unknown", "use one of " + names_of(waits));
}

std::string to_string(const Schedule& schedule) {
  std::string text = to_string(schedule.kind);
  if (schedule.wait != Wait::automatic) text += ",wait=" + to_string(schedule.wait);
  if (schedule.poll.count() != 0) text += ",poll=" + std::to_string(schedule.poll.count()) + "us";
  if (schedule.communicator != Communicator::automatic) {
    text += ",communicator=" + to_string(schedule.communicator);
  }
  if (schedule.block != Int3{0, 0, 0}) {
    text += ",block=" + std::to_string(schedule.block[0]) + "x" +
            std::to_string(schedule.block[1]) + "x" + std::to_string(schedule.block[2]);
  }
  return text;
}

std::string to_string(ScheduleKind kind) {
  switch (kind) {
    case ScheduleKind::blocking:
      return "blocking";
    case ScheduleKind::nonblocking:
      return "nonblocking";
    case ScheduleKind::polled:
      return "polled";
    case ScheduleKind::comm_thread:
      return "comm_thread";
    case ScheduleKind::tasks:
      return "tasks";
    case ScheduleKind::grains:
      return "grains";
    case ScheduleKind::partitioned:
      return "partitioned";
    case ScheduleKind::automatic:
      return "automatic";
  }
  return "";
}

std::string to_string(Wait wait) {
  switch (wait) {
    case Wait::automatic:
      return "automatic";
    case Wait::spin:
      return "spin";
    case Wait::yield:
      return "yield";
    case Wait::sleep:
      return "sleep";
  }
  return "";
}

std::string to_string(Communicator communicator) {
  switch (communicator) {
    case Communicator::automatic:
      return "automatic";
    case Communicator::team_thread:
      return "team_thread";
    case Communicator::extra_thread:
      return "extra_thread";
  }
  return "";
}

std::span<const ScheduleKind> schedule_kinds() {
  return kinds;
}

}  // namespace plait
