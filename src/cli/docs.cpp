#include "cli/docs.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "cli/command.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "cli/std_output.h"
#include "core/base/nearest.h"

/// The documents of docs/, each as "name\0text\0"; made by src/CMakeLists.txt.
extern "C" const char ralph_docs[];
extern "C" const char ralph_docs_end[];

namespace ralph::cli {
namespace {

struct Document {
  std::string_view name;
  std::string_view text;

  /// Its first heading.
  std::string_view title() const {
    const auto line = text.substr(0, text.find('\n'));
    return line.starts_with("# ") ? line.substr(2) : line;
  }
};

std::vector<Document> documents() {
  std::vector<Document> list;
  for (const char* at = ralph_docs; at < ralph_docs_end;) {
    const std::string_view name(at);
    const std::string_view text(name.data() + name.size() + 1);
    list.push_back({name, text});
    at = text.data() + text.size() + 1;
  }
  return list;
}

std::string list_of(const std::vector<Document>& list) {
  std::size_t width = 0;
  for (const auto& document : list) width = std::max(width, document.name.size());
  std::string text;
  for (const auto& document : list) {
    text += fmt::format("{:<{}}  {}\n", document.name, width, document.title());
  }
  return text;
}

}  // namespace

std::vector<std::string> document_names() {
  std::vector<std::string> names;
  for (const auto& document : documents()) names.emplace_back(document.name);
  return names;
}

namespace {

int docs_command(const Arguments& arguments, StdOutput& output) {
  const auto list = documents();
  const std::string name(arguments.positional(0));
  if (name.empty()) {
    output.out(list_of(list));
    return 0;
  }
  const auto found = std::ranges::find(list, name, &Document::name);
  if (found != list.end()) {
    output.out(found->text);
    return 0;
  }
  const auto near = nearest(name, document_names());
  auto message = fmt::format("no document '{}'", name);
  message += near.empty() ? "; 'ralph docs' lists them" : fmt::format("; did you mean '{}'?", near);
  return report_usage({Code::usage, message, {}}, &kDocsCommand, output);
}

constexpr Positional kDocsPositionals[] = {
    {"NAME", "the document (default: list all documents)", Need::optional}};
constexpr Example kDocsExamples[] = {
    {"ralph docs loop | less", "the guide to loops"},
};

}  // namespace

constinit const Command kDocsCommand{
    "docs",
    "show the documentation",
    "Prints a document (Markdown). The documents are part of the program and match its version.",
    kDocsPositionals,
    {},
    kDocsExamples,
    docs_command,
    {},
};

}  // namespace ralph::cli
