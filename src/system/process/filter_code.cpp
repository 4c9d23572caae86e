#include "system/process/filter_code.h"

#include <algorithm>
#include <ranges>
#include <span>
#include <utility>

#include <linux/seccomp.h>

namespace ralph::process {

namespace {

/// Calls from `first` on, up to the next one, have this code.
struct Span {
  unsigned first;
  FilterCode code;
};

std::vector<Span> spans_of(const FilteredCalls& calls) {
  FilterCode allow;
  allow.allow();
  std::vector<Span> spans{{0, allow}};
  const auto add = [&](unsigned first, const FilterCode& code) {
    if (spans.back().first == first) {
      spans.back().code = code;
      if (spans.size() > 1 && spans[spans.size() - 2].code == code) spans.pop_back();
    } else if (spans.back().code != code) {
      spans.push_back({first, code});
    }
  };
  for (const auto& [call, code] : calls) {
    add(call, code);
    add(call + 1, allow);
  }
  return spans;
}

/// Writes the search tree from its end to its start: jumps only go forward, so their targets are written already. A
/// place is named by the number of instructions from it to the end.
class TreeWriter {
 public:
  std::size_t write(std::span<const Span> spans) {
    if (spans.size() == 1) return write_once(spans.front().code);
    const auto middle = spans.size() / 2;
    const auto above = write(spans.subspan(middle));
    const auto below = write(spans.first(middle));
    return branch(spans[middle].first, above, below);
  }
  /// In the order in which they run.
  auto instructions() const { return std::views::reverse(reversed_); }

 private:
  using Place = std::size_t;

  Place push(sock_filter instruction) {
    reversed_.push_back(instruction);
    return reversed_.size();
  }
  std::size_t distance(Place target) const { return reversed_.size() - target; }

  Place write_once(const FilterCode& code) {
    const auto known = std::ranges::find(written_, code, &std::pair<FilterCode, Place>::first);
    if (known != written_.end()) return known->second;
    for (const auto& instruction : std::views::reverse(code.instructions())) push(instruction);
    written_.emplace_back(code, reversed_.size());
    return reversed_.size();
  }

  /// A place that a conditional jump reaches from the next two instructions, and that leads to the target.
  Place near(Place target) {
    constexpr std::size_t kReach = 254;
    if (distance(target) <= kReach) return target;
    return push({BPF_JMP | BPF_JA, 0, 0, static_cast<unsigned>(distance(target))});
  }

  Place branch(unsigned first_above, Place above, Place below) {
    below = near(below);
    above = near(above);
    return push({BPF_JMP | BPF_JGE | BPF_K, static_cast<unsigned char>(distance(above)),
                 static_cast<unsigned char>(distance(below)), first_above});
  }

  std::vector<sock_filter> reversed_;
  std::vector<std::pair<FilterCode, Place>> written_;
};

}  // namespace

void FilterCode::add(unsigned short code, unsigned value, unsigned char yes, unsigned char no) {
  code_.push_back({code, yes, no, value});
}

void FilterCode::load(std::size_t offset) {
  add(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset));
}

void FilterCode::load_argument(std::size_t index) {
  load(offsetof(seccomp_data, args) + index * sizeof(seccomp_data::args[0]));
}

void FilterCode::give(unsigned action) { add(BPF_RET | BPF_K, action); }

void FilterCode::refuse(int error) { give(SECCOMP_RET_ERRNO | static_cast<unsigned>(error)); }

void FilterCode::allow() { give(SECCOMP_RET_ALLOW); }

void FilterCode::refuse_if(unsigned value, int error) {
  add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  refuse(error);
}

void FilterCode::allow_if(unsigned value) {
  add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  allow();
}

void FilterCode::append(const FilterCode& other) {
  code_.insert(code_.end(), other.code_.begin(), other.code_.end());
}

bool FilterCode::operator==(const FilterCode& other) const {
  return std::ranges::equal(code_, other.code_, [](const sock_filter& a, const sock_filter& b) {
    return a.code == b.code && a.jt == b.jt && a.jf == b.jf && a.k == b.k;
  });
}

std::string assemble(const FilterCode& start, const FilteredCalls& calls) {
  TreeWriter tree;
  tree.write(spans_of(calls));
  auto program = start.instructions();
  std::ranges::copy(tree.instructions(), std::back_inserter(program));
  return {reinterpret_cast<const char*>(program.data()), program.size() * sizeof(sock_filter)};
}

}  // namespace ralph::process
