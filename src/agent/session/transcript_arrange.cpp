#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "agent/session/transcript_impl.h"

namespace ralph::session {
namespace {

using PlacesByName = std::unordered_map<std::string_view, std::vector<std::size_t>>;

/// The lines from the first to the leaf; stops at a cycle.
std::vector<std::size_t> chain_to(const std::vector<Line>& lines, std::size_t leaf) {
  std::vector<std::size_t> chain;
  std::vector<bool> seen(lines.size());
  for (auto at = leaf; at != Line::kNone && !seen[at]; at = lines[at].parent) {
    seen[at] = true;
    chain.push_back(at);
  }
  std::ranges::reverse(chain);
  return chain;
}

/// Inserts the lines that a compaction preserved after its summary.
void restore_preserved(const std::vector<Line>& lines, std::vector<std::size_t>& chain) {
  if (chain.empty() || !lines[chain.front()].boundary) return;
  const auto& boundary = lines[chain.front()];
  const auto anchor = std::ranges::find_if(
      chain, [&](std::size_t at) { return lines[at].uuid == boundary.anchor; });
  if (anchor == chain.end()) return;
  std::unordered_set<std::string_view> wanted(boundary.preserved.begin(), boundary.preserved.end());
  for (const auto at : chain) wanted.erase(lines[at].uuid);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < chain.front(); ++i) {
    if (wanted.contains(lines[i].uuid)) kept.push_back(i);
  }
  chain.insert(anchor + 1, kept.begin(), kept.end());
}

class Arranger {
 public:
  Arranger(const std::vector<Line>& lines, std::vector<std::size_t> chain)
      : lines_(lines), chain_(std::move(chain)), used_(lines.size()) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i].message_id.empty()) by_message_[lines[i].message_id].push_back(i);
      for (const auto& id : lines[i].calls) calls_[id].push_back(i);
      for (const auto& id : lines[i].results) results_[id].push_back(i);
    }
  }

  std::vector<Part> arrange() {
    std::vector<Part> parts;
    for (std::size_t i = 0; i < chain_.size(); ++i) {
      const auto at = chain_[i];
      if (used_[at]) continue;
      used_[at] = true;
      Part part;
      if (lines_[at].kind == Line::Kind::assistant) {
        part.answer = whole_answer(i);
        part.user = results_for(part.answer);
      } else {
        part.user = {at};
      }
      parts.push_back(std::move(part));
    }
    return parts;
  }

 private:
  /// All lines of the message that begins at chain_[first]. Concurrent calls have lines of their own, some of them outside
  /// the chain.
  std::vector<std::size_t> whole_answer(std::size_t first) {
    std::vector<std::size_t> answer{chain_[first]};
    const auto& id = lines_[chain_[first]].message_id;
    for (auto i = first + 1; i < chain_.size(); ++i) {
      const auto& line = lines_[chain_[i]];
      if (line.kind == Line::Kind::assistant && line.message_id == id) add(answer, chain_[i]);
      if (ends_answer(line, id)) break;
    }
    if (!id.empty()) add_siblings(answer, by_message_[id]);
    std::ranges::sort(answer);
    return answer;
  }

  /// Results may be between the lines of one message, if messages have ids.
  static bool ends_answer(const Line& line, std::string_view id) {
    switch (line.kind) {
      case Line::Kind::user: return id.empty() || !line.only_results;
      case Line::Kind::assistant: return line.message_id != id;
      case Line::Kind::queued: return true;
      case Line::Kind::snapshot:
      case Line::Kind::link: return false;
    }
    return true;
  }

  void add_siblings(std::vector<std::size_t>& answer, const std::vector<std::size_t>& same_id) {
    std::unordered_set<std::size_t> members(answer.begin(), answer.end());
    for (const auto at : same_id) {
      if (lines_[at].kind != Line::Kind::assistant || used_[at]) continue;
      if (!members.contains(lines_[at].parent)) continue;
      add(answer, at);
      members.insert(at);
    }
  }

  std::vector<std::size_t> results_for(const std::vector<std::size_t>& answer) {
    std::vector<std::size_t> found;
    for (const auto at : answer) {
      for (const auto& id : lines_[at].calls) {
        const auto place = result_of(id, at);
        if (place != Line::kNone) add(found, place);
      }
    }
    std::ranges::sort(found);
    return found;
  }

  /// The first unused result after the call and before the next call with the same id.
  std::size_t result_of(const std::string& id, std::size_t call) {
    const auto& calls = calls_[id];
    const auto& results = results_[id];
    const auto next = std::ranges::upper_bound(calls, call);
    const auto end = next == calls.end() ? lines_.size() : *next;
    for (auto at = std::ranges::upper_bound(results, call); at != results.end() && *at < end;
         ++at) {
      if (!used_[*at] && lines_[*at].kind == Line::Kind::user) return *at;
    }
    return Line::kNone;
  }

  void add(std::vector<std::size_t>& list, std::size_t at) {
    used_[at] = true;
    list.push_back(at);
  }

  const std::vector<Line>& lines_;
  std::vector<std::size_t> chain_;
  std::vector<bool> used_;
  PlacesByName by_message_;
  PlacesByName calls_;
  PlacesByName results_;
};

}  // namespace

std::vector<Part> arrange(const std::vector<Line>& lines, std::size_t leaf) {
  auto chain = chain_to(lines, leaf);
  restore_preserved(lines, chain);
  return Arranger(lines, std::move(chain)).arrange();
}

}  // namespace ralph::session
