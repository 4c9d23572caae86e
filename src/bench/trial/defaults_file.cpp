#include "bench/trial/defaults_file.h"

#include <charconv>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "bench/trial/case_node_impl.h"
#include "bench/trial/case_shapes_impl.h"
#include "bench/trial/test_case.h"
#include "core/base/file.h"

namespace ralph::trial {
namespace {

namespace fs = std::filesystem;
using json::Document;
using Pointer = Document::json_pointer;

template <typename Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return stop == text.data() + text.size() && error == std::errc{} ? std::optional(value)
                                                                   : std::nullopt;
}

Document typed_value(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  if (const auto value = whole_number<std::int64_t>(text)) return *value;
  if (const auto value = whole_number<double>(text)) return *value;
  return std::string(text);
}

Pointer pointer_to(std::string_view key) {
  Pointer pointer;
  while (!key.empty()) {
    const auto part = key.substr(0, key.find('.'));
    key.remove_prefix(std::min(key.size(), part.size() + 1));
    pointer.push_back(std::string(part));
  }
  return pointer;
}

Result<Document> checked_document(const config::Node& node, const fs::path& file) {
  std::vector<Problem> problems, warnings;
  check(node, kDefaultsFile, file.native(), problems, warnings);
  if (problems.empty()) return make_document(node, kDefaultsFile);
  std::vector<std::string> texts;
  for (const auto& problem : problems) texts.push_back(without_place(problem));
  return fail(Code::config,
              fmt::format("'{}' would not be valid: {}", file.native(), fmt::join(texts, "; ")));
}

Result<Document> read_document(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return Document(Document::object());
  TRY_ASSIGN(const auto node, read_node(file));
  return checked_document(node, file);
}

/// JSON is valid YAML, whatever the file is called.
Result<> write_document(const fs::path& file, const Document& document) {
  const auto text = json::write_pretty(document);
  TRY_ASSIGN(const auto node, config::parse(text, file.native()));
  TRY(checked_document(node, file));
  return write_file_atomically(file, text, 0644);
}

}  // namespace

fs::path defaults_file(const fs::path& folder) {
  for (const auto name : defaults_names()) {
    std::error_code error;
    if (fs::exists(folder / name, error)) return folder / name;
  }
  return folder / defaults_names().front();
}

Result<> write_starter_defaults(const fs::path& file) {
  const Defaults usual;
  return write_document(file, {{"workspace_dir", usual.workspace_dir},
                               {"output_dir", usual.output_dir},
                               {"keep_workspace", usual.keep_workspace},
                               {"variables", Document::object()}});
}

Result<std::string> default_text(const fs::path& home, const fs::path& folder,
                                 std::string_view key) {
  const Defaults usual;
  Document merged{{"workspace_dir", usual.workspace_dir},
                  {"output_dir", usual.output_dir},
                  {"keep_workspace", usual.keep_workspace}};
  for (const auto& place : {home, folder}) {
    TRY_ASSIGN(const auto document, read_document(defaults_file(place)));
    merged.update(document, true);
  }
  if (key.empty()) return json::write_pretty(merged);
  const auto pointer = pointer_to(key);
  if (!merged.contains(pointer)) return fail(Code::not_found, fmt::format("'{}' is not set", key));
  const auto& value = merged.at(pointer);
  return (value.is_string() ? value.get<std::string>() : json::write(value)) + "\n";
}

Result<> change_default(const fs::path& file, std::string_view key,
                        std::optional<std::string_view> value) {
  TRY_ASSIGN(auto document, read_document(file));
  const auto pointer = pointer_to(key);
  if (value) {
    const bool is_text = key.starts_with("variables.");
    document[pointer] = is_text ? Document(std::string(*value)) : typed_value(*value);
  } else if (document.contains(pointer)) {
    document[pointer.parent_pointer()].erase(pointer.back());
  } else {
    return fail(Code::not_found, fmt::format("'{}' is not set in '{}'", key, file.native()));
  }
  return write_document(file, document);
}

}  // namespace ralph::trial
