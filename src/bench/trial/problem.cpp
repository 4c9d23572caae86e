#include "bench/trial/problem.h"

#include <fmt/core.h>

namespace ralph::trial {

std::string without_place(const Problem& problem) {
  return problem.path.empty() ? problem.message
                              : fmt::format("{}: {}", problem.path, problem.message);
}

std::string to_text(const Problem& problem) {
  const auto text = without_place(problem);
  if (problem.file.empty()) return text;
  return problem.line > 0 ? fmt::format("{} ({}:{})", text, problem.file, problem.line)
                          : fmt::format("{} ({})", text, problem.file);
}

}  // namespace ralph::trial
