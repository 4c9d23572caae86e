#pragma once
#include <string>
#include <vector>

namespace ralph::trial {

/// One thing that is wrong with a file.
struct Problem {
  std::string path;  // "agent.config.prompt"; empty: the file as a whole
  std::string message;
  std::string file;
  int line = 0;  // 0: unknown

  bool operator==(const Problem&) const = default;
};

/// "agent.type: Required (testcase.yaml:7)".
std::string to_text(const Problem& problem);
/// "agent.type: Required", without the place.
std::string without_place(const Problem& problem);

/// A value read from a file; unusable if there are problems.
template <typename T>
struct Checked {
  T value;
  std::vector<Problem> problems;
  std::vector<Problem> warnings;

  bool ok() const { return problems.empty(); }
};

}  // namespace ralph::trial
