#include "agent/tool/line_diff.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace ralph::tool {
namespace {

constexpr std::size_t kMaxBytes = 4 << 20;
constexpr int kMaxChanges = 1000;  // with more, the patch may not be the shortest
constexpr std::size_t kContext = 3;
constexpr std::string_view kNoNewline = "\\ No newline at end of file";

using LineViews = std::vector<std::string_view>;  // each with its "\n"

constexpr std::size_t to_size(int number) { return static_cast<std::size_t>(number); }

LineViews split(std::string_view text) {
  LineViews lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// The lines between the common start and end.
struct Middle {
  const LineViews& before;
  const LineViews& after;
  int offset;      // lines of the common start
  int old_length;  // lines between
  int new_length;

  std::size_t index(int line) const { return to_size(offset + line); }
  bool same(int x, int y) const { return before[index(x)] == after[index(y)]; }
};

Middle middle_of(const LineViews& before, const LineViews& after) {
  const auto [old_at, new_at] = std::ranges::mismatch(before, after);
  const auto start = old_at - before.begin();
  const auto shortest = static_cast<std::ptrdiff_t>(std::min(before.size(), after.size())) - start;
  std::ptrdiff_t tail = 0;
  while (tail < shortest && before[before.size() - 1 - static_cast<std::size_t>(tail)] ==
                                after[after.size() - 1 - static_cast<std::size_t>(tail)]) {
    ++tail;
  }
  return {before, after, static_cast<int>(start),
          static_cast<int>(static_cast<std::ptrdiff_t>(before.size()) - start - tail),
          static_cast<int>(static_cast<std::ptrdiff_t>(after.size()) - start - tail)};
}

/// Myers' greedy search: how far each diagonal gets with d changes, for d = 0, 1, …
class Search {
 public:
  explicit Search(const Middle& middle) : middle_(middle) {}

  /// False: more than kMaxChanges are needed.
  bool run() {
    for (int d = 0; d <= kMaxChanges; ++d) {
      trace_.emplace_back(to_size(2 * d + 1));
      for (int k = -d; k <= d; k += 2) {
        if (extend(d, k)) return true;
      }
    }
    return false;
  }

  /// The changes of the middle, found from its end to its start.
  std::vector<Difference> changes() const {
    std::vector<Difference> found;
    int x = middle_.old_length;
    int y = middle_.new_length;
    for (int d = static_cast<int>(trace_.size()) - 1; d > 0; --d) {
      const int k = x - y;
      const bool down = goes_down(d, k);
      const int from_k = down ? k + 1 : k - 1;
      const int from_x = reach(d - 1, from_k);
      const int from_y = from_x - from_k;
      add(found, from_x, from_y, down ? from_x : from_x + 1, down ? from_y + 1 : from_y);
      x = from_x;
      y = from_y;
    }
    std::ranges::reverse(found);
    return found;
  }

 private:
  int reach(int d, int k) const {
    if (k < -d || k > d) return -1;
    return trace_[to_size(d)][column(d, k)];
  }
  /// `k` runs from -d to d.
  static std::size_t column(int d, int k) { return to_size(d + k); }
  bool goes_down(int d, int k) const {
    return k == -d || (k != d && reach(d - 1, k - 1) < reach(d - 1, k + 1));
  }

  bool extend(int d, int k) {
    int x = 0;
    if (d > 0) x = goes_down(d, k) ? reach(d - 1, k + 1) : reach(d - 1, k - 1) + 1;
    while (x < middle_.old_length && x - k < middle_.new_length && middle_.same(x, x - k)) ++x;
    trace_[to_size(d)][column(d, k)] = x;
    return x >= middle_.old_length && x - k >= middle_.new_length;
  }

  /// Merges a change that ends where the previously found one begins.
  void add(std::vector<Difference>& found, int x, int y, int x_end, int y_end) const {
    const Difference change{middle_.index(x), middle_.index(x_end), middle_.index(y),
                            middle_.index(y_end)};
    if (!found.empty() && found.back().old_begin == change.old_end &&
        found.back().new_begin == change.new_end) {
      found.back().old_begin = change.old_begin;
      found.back().new_begin = change.new_begin;
      return;
    }
    found.push_back(change);
  }

  const Middle& middle_;
  std::vector<std::vector<int>> trace_;  // of d: diagonals -d … d
};

void put(Hunk& hunk, char sign, std::string_view line) {
  const bool whole = line.ends_with('\n');
  if (whole) line.remove_suffix(1);
  hunk.lines.push_back(sign + std::string(line));
  if (!whole) hunk.lines.emplace_back(kNoNewline);
  if (sign != '+') ++hunk.old_lines;
  if (sign != '-') ++hunk.new_lines;
}

class HunkMaker {
 public:
  HunkMaker(const LineViews& before, const LineViews& after) : before_(before), after_(after) {}

  void add(const Difference& change) {
    const auto context = std::min(change.old_begin, kContext);
    if (hunks_.empty() || change.old_begin - shown_ > 2 * kContext) {
      close();
      shown_ = change.old_begin - context;
      hunks_.push_back({shown_ + 1, 0, change.new_begin - context + 1, 0, {}});
    }
    auto& hunk = hunks_.back();
    for (; shown_ < change.old_begin; ++shown_) put(hunk, ' ', before_[shown_]);
    for (; shown_ < change.old_end; ++shown_) put(hunk, '-', before_[shown_]);
    for (auto at = change.new_begin; at < change.new_end; ++at) put(hunk, '+', after_[at]);
  }

  std::vector<Hunk> finish() {
    close();
    return std::move(hunks_);
  }

 private:
  void close() {
    if (hunks_.empty()) return;
    const auto end = std::min(before_.size(), shown_ + kContext);
    for (; shown_ < end; ++shown_) put(hunks_.back(), ' ', before_[shown_]);
  }

  const LineViews& before_;
  const LineViews& after_;
  std::size_t shown_ = 0;  // old lines before this one are done
  std::vector<Hunk> hunks_;
};

}  // namespace

std::vector<Difference> differences(const LineViews& before, const LineViews& after) {
  const auto middle = middle_of(before, after);
  if (middle.old_length == 0 && middle.new_length == 0) return {};
  if (Search search(middle); search.run()) return search.changes();
  return {{middle.index(0), middle.index(middle.old_length), middle.index(0),
           middle.index(middle.new_length)}};
}

std::vector<Hunk> line_diff(std::string_view before, std::string_view after) {
  if (before.size() > kMaxBytes || after.size() > kMaxBytes) return {};
  const auto old_lines = split(before);
  const auto new_lines = split(after);
  HunkMaker maker(old_lines, new_lines);
  for (const auto& change : differences(old_lines, new_lines)) maker.add(change);
  return maker.finish();
}

json::Document structured_patch(std::string_view before, std::string_view after) {
  auto patch = json::Document::array();
  for (auto& hunk : line_diff(before, after)) {
    patch.push_back({{"oldStart", hunk.old_start},
                     {"oldLines", hunk.old_lines},
                     {"newStart", hunk.new_start},
                     {"newLines", hunk.new_lines},
                     {"lines", std::move(hunk.lines)}});
  }
  return patch;
}

}  // namespace ralph::tool
