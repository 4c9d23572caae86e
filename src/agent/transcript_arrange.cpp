#include <algorithm>
#include <unordered_map>

#include "agent/transcript_impl.h"

namespace ralph::agent {
namespace {

using Places = std::unordered_map<std::string_view, std::vector<std::size_t>>;

/// From the first line to the leaf; a circle is cut where it closes.
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

/// Puts the lines that a compaction kept back behind its summary.
void restore_preserved(const std::vector<Line>& lines, std::vector<std::size_t>& chain) {
  if (chain.empty() || !lines[chain.front()].boundary) return;
  const auto& boundary = lines[chain.front()];
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < chain.front(); ++i) {
    if (!lines[i].uuid.empty() && std::ranges::count(boundary.preserved, lines[i].uuid) != 0) {
      kept.push_back(i);
    }
  }
  const auto anchor = std::ranges::find_if(
      chain, [&](std::size_t at) { return lines[at].uuid == boundary.anchor; });
  if (anchor == chain.end()) return;
  std::erase_if(kept, [&](std::size_t at) { return std::ranges::count(chain, at) != 0; });
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
  /// All lines of the message that begins at chain_[first]. Calls that ran side by side hang on lines of their own, so
  /// some of them are beside the chain.
  std::vector<std::size_t> whole_answer(std::size_t first) {
    std::vector<std::size_t> answer{chain_[first]};
    const auto& id = lines_[chain_[first]].message_id;
    if (id.empty()) return answer;
    for (auto i = first + 1; i < chain_.size(); ++i) {
      const auto& line = lines_[chain_[i]];
      if (line.kind == Line::Kind::queued || (line.kind == Line::Kind::user && !line.only_results)) break;
      if (line.kind != Line::Kind::assistant) continue;
      if (line.message_id != id) break;
      add(answer, chain_[i]);
    }
    for (const auto at : by_message_[id]) {
      if (lines_[at].kind != Line::Kind::assistant || used_[at]) continue;
      if (std::ranges::count(answer, lines_[at].parent) != 0) add(answer, at);
    }
    std::ranges::sort(answer);
    return answer;
  }

  std::vector<std::size_t> results_for(const std::vector<std::size_t>& answer) {
    std::vector<std::size_t> found;
    for (const auto at : answer) {
      for (const auto& id : lines_[at].calls) {
        const auto& again = calls_[id];
        const auto next = std::ranges::upper_bound(again, at);
        for (const auto place : results_[id]) {
          if (place < at || (next != again.end() && place > *next)) continue;
          if (used_[place] || lines_[place].kind != Line::Kind::user) continue;
          add(found, place);
          break;
        }
      }
    }
    std::ranges::sort(found);
    return found;
  }

  void add(std::vector<std::size_t>& list, std::size_t at) {
    used_[at] = true;
    list.push_back(at);
  }

  const std::vector<Line>& lines_;
  std::vector<std::size_t> chain_;
  std::vector<bool> used_;
  Places by_message_;
  Places calls_;
  Places results_;
};

}  // namespace

std::vector<Part> arrange(const std::vector<Line>& lines, std::size_t leaf) {
  auto chain = chain_to(lines, leaf);
  restore_preserved(lines, chain);
  return Arranger(lines, std::move(chain)).arrange();
}

}  // namespace ralph::agent
