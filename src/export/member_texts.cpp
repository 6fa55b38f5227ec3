// SPDX-License-Identifier: BSD-3-Clause
// Texts about the members of collectives, each made where its rank is.
#include "export/member_texts.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/parallel.hpp"
#include "base/plain_bytes.hpp"

namespace plait::exports {
namespace {

using std::uint32_t;

/// The text of a process about consecutive members.
struct Part {
  uint32_t collective = 0, member = 0;
  std::string_view text;
};

/// The texts of a process, in memory that `parts` refer to.
struct Received {
  std::vector<MemberTexts::Run> runs;
  std::string text;

  void add_to(std::vector<Part>& parts) const {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::size_t end = i + 1 < runs.size() ? runs[i + 1].begin : text.size();
      parts.push_back({runs[i].collective, runs[i].first,
                       std::string_view(text).substr(runs[i].begin, end - runs[i].begin)});
    }
  }
};

/// The texts of all processes about some collectives.
std::vector<Received> received(const std::vector<std::string>& texts) {
  std::vector<Received> all;
  for (const std::string& text : texts) {
    BytesReader reader(text);
    while (reader.more()) {
      Received& of = all.emplace_back();
      reader(of.runs, of.text);
    }
  }
  return all;
}

void use_together(const std::vector<Received>& all,
                  const std::function<void(uint32_t, const std::string&)>& use) {
  std::vector<Part> parts;
  for (const Received& of : all) of.add_to(parts);
  std::ranges::sort(parts, {},
                    [](const Part& part) { return std::pair(part.collective, part.member); });
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += parts[i].text;
    if (i + 1 < parts.size() && parts[i + 1].collective == parts[i].collective) continue;
    use(parts[i].collective, text);
    text.clear();
  }
}

}  // namespace

Sink& MemberTexts::about(uint32_t collective, uint32_t member) {
  if (runs_.empty() || runs_.back().collective != collective || runs_.back().last + 1 != member) {
    runs_.push_back({collective, member, member, text_.bytes().size()});
  }
  runs_.back().last = member;
  return text_;
}

void for_member_texts(const trace::Trace& trace, Processes& processes,
                      const std::function<void(uint32_t, MemberTexts&)>& write,
                      const std::function<void(uint32_t, const std::string&)>& use) {
  constexpr std::size_t kMembersTogether = 1 << 17;
  const std::size_t count = trace.collectives.size();
  for (std::size_t first = 0, last = 0; first < count; first = last) {
    for (std::size_t sum = 0; last < count && sum < kMembersTogether; ++last) {
      const trace::Comm& comm = trace.comms[trace.collectives[last].comm];
      sum += comm.members.size() + comm.remote_members.size() + 1;
    }
    const std::vector<IndexRange> ranges = ranges_of(last - first);
    std::vector<MemberTexts> texts(ranges.size());
    for_each_index(ranges.size(), [&](std::size_t i) {
      for (std::size_t at = ranges[i].first; at < ranges[i].last; ++at) {
        write(static_cast<uint32_t>(first + at), texts[i]);
      }
    });
    BytesWriter own;
    for (const MemberTexts& of : texts) of.write(own);
    std::vector<std::string> to(static_cast<std::size_t>(processes.size()));
    to.front() = own.take();
    const std::vector<std::string> from = processes.swap(std::move(to));
    if (processes.rank() == 0) use_together(received(from), use);
  }
}

}  // namespace plait::exports
