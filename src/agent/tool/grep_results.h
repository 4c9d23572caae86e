#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "agent/tool/tool.h"

namespace ralph::tool {

/// The requested part of the results.
struct Page {
  std::uint64_t offset = 0;
  std::uint64_t limit = 0;  // 0: all
};

/// Collects the lines of one search into an outcome. Memory: the shown text and one name per file.
class GrepResults {
 public:
  virtual ~GrepResults() = default;
  virtual void add(std::string_view line) = 0;
  virtual Outcome outcome(std::string_view note, Workspace& workspace) = 0;
};

/// `folder`: the open directory that names are relative to; `prefix`: prepended to shown names.
std::unique_ptr<GrepResults> file_results(const Page& page, int folder, std::string prefix);
std::unique_ptr<GrepResults> line_results(const Page& page);
std::unique_ptr<GrepResults> count_results(const Page& page);

}  // namespace ralph::tool
