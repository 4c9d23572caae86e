#include "agent/tool/grep_results.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/tool/file_stamp.h"
#include "agent/tool/input.h"
#include "agent/tool/path_walk.h"
#include "agent/tool/persisted_output.h"
#include "core/base/number.h"
#include "core/base/utf8.h"

namespace ralph::tool {
namespace {

constexpr std::size_t kMostCharacters = 20000;  // in the answer itself
constexpr std::size_t kMostKept = 4 << 20;      // bytes of lines
constexpr std::size_t kMostFilesSorted = 100000;

/// Collects the lines of a page and counts all lines.
class Pager {
 public:
  explicit Pager(const Page& page) : page_(page) {}

  void add(std::string_view line) {
    const auto index = total_++;
    if (index < page_.offset || is_full()) return;
    if (text_.size() + line.size() > kMostKept) {
      overfull_ = true;
      return;
    }
    if (taken_++ > 0) text_ += '\n';
    text_ += line;
  }

  const std::string& text() const { return text_; }
  std::uint64_t taken() const { return taken_; }
  std::uint64_t total() const { return total_; }

  /// "[Showing results with pagination = …]"; empty: everything is shown.
  std::string note() const {
    std::string parts;
    if (limited()) parts = fmt::format("limit: {}", shown_limit());
    if (page_.offset > 0) {
      parts += fmt::format("{}offset: {}", parts.empty() ? "" : ", ", page_.offset);
    }
    return parts.empty() ? parts : fmt::format("[Showing results with pagination = {}]", parts);
  }

  void describe(json::Document& detail) const {
    if (limited()) detail["appliedLimit"] = shown_limit();
    if (page_.offset > 0) detail["appliedOffset"] = page_.offset;
  }

 private:
  bool is_full() const { return overfull_ || (page_.limit > 0 && taken_ == page_.limit); }
  bool limited() const { return total_ > page_.offset + taken_; }
  std::uint64_t shown_limit() const { return page_.limit > 0 && !overfull_ ? page_.limit : taken_; }

  Page page_;
  std::string text_;
  std::uint64_t taken_ = 0;
  std::uint64_t total_ = 0;
  bool overfull_ = false;
};

std::string append_note(std::string text, std::string_view separator, std::string_view more) {
  if (more.empty()) return text;
  return text.append(separator).append(more);
}

Outcome answer(std::string text, const Pager& pager, std::string_view note,
               const json::Document& detail, const Workspace& workspace) {
  text = append_note(std::move(text), "\n\n", pager.note());
  text = append_note(std::move(text), "\n\n", note);
  return success(persisted_if_long(std::move(text), kMostCharacters, workspace), detail);
}

std::string_view plural(std::uint64_t count) { return count == 1 ? "" : "s"; }

class LineResults final : public GrepResults {
 public:
  explicit LineResults(const Page& page) : pager_(page) {}

  void add(std::string_view line) override {
    if (line.ends_with('\r')) line.remove_suffix(1);
    pager_.add(utf8::valid(line) ? line : utf8::repaired(line));
  }

  Outcome outcome(std::string_view note, Workspace& workspace) override {
    json::Document detail = {{"mode", "content"},
                             {"numFiles", 0},
                             {"filenames", json::Document::array()},
                             {"content", pager_.text()},
                             {"numLines", pager_.taken()},
                             {"totalLines", pager_.total()}};
    pager_.describe(detail);
    return answer(pager_.taken() == 0 ? "No matches found" : pager_.text(), pager_, note, detail,
                  workspace);
  }

 private:
  Pager pager_;
};

class CountResults final : public GrepResults {
 public:
  explicit CountResults(const Page& page) : pager_(page) {}

  void add(std::string_view line) override {
    matches_ += leading_number<std::uint64_t>(line.substr(line.rfind(':') + 1)).value_or(0);
    pager_.add(utf8::repaired(line));
  }

  Outcome outcome(std::string_view note, Workspace& workspace) override {
    json::Document detail = {{"mode", "count"},
                             {"numFiles", pager_.total()},
                             {"filenames", json::Document::array()},
                             {"content", pager_.text()},
                             {"numMatches", matches_}};
    pager_.describe(detail);
    return answer(fmt::format("{}\n\nFound {} total occurrence{} across {} file{}.",
                              pager_.taken() == 0 ? "No matches found" : pager_.text(), matches_,
                              plural(matches_), pager_.total(), plural(pager_.total())),
                  pager_, note, detail, workspace);
  }

 private:
  Pager pager_;
  std::uint64_t matches_ = 0;
};

class FileResults final : public GrepResults {
 public:
  FileResults(const Page& page, int folder, std::string prefix)
      : page_(page), folder_(folder), prefix_(std::move(prefix)) {}

  void add(std::string_view name) override {
    if (files_.size() == kMostFilesSorted) return;
    const auto info = look(folder_, std::string(name));
    files_.push_back({info ? stamp_of(*info).modified_ns : 0,
                      utf8::repaired(std::string(prefix_).append(name))});
  }

  Outcome outcome(std::string_view note, Workspace& workspace) override {
    std::ranges::sort(files_, [](const File& a, const File& b) {
      return a.modified != b.modified ? a.modified > b.modified : a.name < b.name;
    });
    Pager pager(page_);
    for (const auto& file : files_) pager.add(file.name);
    auto names = json::Document::array();
    for (std::uint64_t i = 0; i < pager.taken(); ++i) {
      names.push_back(files_[page_.offset + i].name);
    }
    json::Document detail = {{"mode", "files_with_matches"},
                             {"filenames", std::move(names)},
                             {"numFiles", pager.taken()},
                             {"totalFiles", pager.total()}};
    pager.describe(detail);
    return answer(pager.taken() == 0 ? "No files found"
                                     : fmt::format("Found {} file{}\n{}", pager.total(),
                                                   plural(pager.total()), pager.text()),
                  pager, note, detail, workspace);
  }

 private:
  struct File {
    std::int64_t modified;
    std::string name;
  };
  Page page_;
  int folder_;
  std::string prefix_;
  std::vector<File> files_;
};

}  // namespace

std::unique_ptr<GrepResults> file_results(const Page& page, int folder, std::string prefix) {
  return std::make_unique<FileResults>(page, folder, std::move(prefix));
}
std::unique_ptr<GrepResults> line_results(const Page& page) {
  return std::make_unique<LineResults>(page);
}
std::unique_ptr<GrepResults> count_results(const Page& page) {
  return std::make_unique<CountResults>(page);
}

}  // namespace ralph::tool
