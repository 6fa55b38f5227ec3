// SPDX-License-Identifier: BSD-3-Clause
// A library through which test_python.py asks for its own lines, as the preload object reads them.
#include "preload/calls/python.hpp"

#include <string>
#include <vector>

#include "preload/recorder.hpp"
#include "trace/python_format.h"

namespace {

std::vector<std::string> strings{""};
std::string answer;

}  // namespace

namespace plait::preload {

uint32_t add_string(const char* text) {
  strings.emplace_back(text);
  return static_cast<uint32_t>(strings.size() - 1);
}

void note(const char* text) {
  answer = std::string("note: ") + text;
}

}  // namespace plait::preload

/// The lines of the calling thread, innermost first, each as "LINE FUNCTION\nFILE" with a zero byte
/// behind it. If they cannot be read: the note about it, or "".
extern "C" __attribute__((visibility("default"))) const char* lines(int room, int* bytes) {
  using namespace plait::preload;
  answer.clear();
  if (in_python()) {
    std::vector<uint64_t> frames(static_cast<std::size_t>(room));
    const uint32_t depth = python_frames(frames.data(), static_cast<uint32_t>(room));
    for (uint32_t i = 0; i < depth; ++i) {
      answer += strings.at(frames[i] & ~PLAIT_PYTHON_FRAME) + '\0';
    }
  }
  *bytes = static_cast<int>(answer.size());
  return answer.c_str();
}

/// The same lines as a signal handler reads them, those that C called with "\1" behind them.
extern "C" __attribute__((visibility("default"))) const char* sampled(int room, int* bytes) {
  using namespace plait::preload;
  std::vector<PythonLine> places(static_cast<std::size_t>(room));
  std::string text(kPythonTextBytes, '\0');
  std::vector<std::string> found;
  const uint32_t depth = in_python() ? python_lines(places.data(), static_cast<uint32_t>(room)) : 0;
  for (uint32_t i = 0; i < depth; ++i) {
    const bool named = python_text(places[i], text.data(), text.size());
    if (named) found.emplace_back(text.c_str());
    // A frame without a name is the one between Python and C.
    if ((places[i].from_c || !named) && !found.empty()) found.back() += '\1';
  }
  answer.clear();
  for (const std::string& line : found) answer += line + '\0';
  *bytes = static_cast<int>(answer.size());
  return answer.c_str();
}

/// The number of the calling thread's path; 0: it cannot be read.
extern "C" __attribute__((visibility("default"))) uint64_t path(int innermost_only) {
  return plait::preload::in_python() ? plait::preload::python_path(innermost_only != 0) : 0;
}
