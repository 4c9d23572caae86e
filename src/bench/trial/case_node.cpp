#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "bench/trial/case_node_impl.h"
#include "bench/trial/test_case.h"
#include "core/base/file.h"
#include "core/json/field.h"

namespace ralph::trial {
namespace {

std::string substituted(std::string_view text, const std::vector<config::Pair>& variables) {
  std::string out;
  for (;;) {
    const auto at = text.find("${");
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    const auto end = text.find('}', at);
    const auto name = text.substr(at + 2, end == std::string_view::npos ? 0 : end - at - 2);
    const auto known = std::ranges::find(variables, name, &config::Pair::name);
    if (known == variables.end() || name.empty()) {
      out += "${";
      text.remove_prefix(at + 2);
    } else {
      out += known->value;
      text.remove_prefix(end + 1);
    }
  }
}

}  // namespace

std::filesystem::path case_folder(const std::filesystem::path& file) {
  const auto& name = file.native();
  const bool is_descriptor =
      name == "/dev/stdin" || name.starts_with("/dev/fd/") || name.starts_with("/proc/self/fd/");
  return is_descriptor ? std::filesystem::path() : file.parent_path();
}

Result<config::Node> read_node(const std::filesystem::path& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (!error && size > kLargestCaseFile) {
    return fail(
        Code::config,
        fmt::format("Configuration file too large: {} bytes (max: {}); put a long prompt into a "
                    "file and name it with prompt_file",
                    size, kLargestCaseFile));
  }
  TRY_ASSIGN(const auto text, read_file(file, kLargestCaseFile));
  return config::parse(text, file.native());
}

void substitute(config::Node& node, const std::vector<config::Pair>& variables) {
  if (node.kind == config::Node::Kind::scalar && node.text.contains("${")) {
    node.text = substituted(node.text, variables);
    node.quoted = true;  // it stays a text, whatever the value looks like
  }
  for (auto& item : node.items) substitute(item, variables);
}

void check_file(const config::Node& node, const Shape& shape, const std::filesystem::path& file,
                std::vector<Problem>& problems, std::vector<Problem>& warnings) {
  check(node, shape, file.native(), problems, warnings);
}

std::vector<std::string> texts(const json::Document& object, std::string_view key) {
  const auto& value = json::member(object, key);
  if (value.is_string()) return {value.get<std::string>()};
  std::vector<std::string> list;
  if (!value.is_array()) return list;
  for (const auto& item : value) {
    if (item.is_string()) list.push_back(item.get<std::string>());
  }
  return list;
}

std::vector<config::Pair> pairs(const json::Document& object, std::string_view key) {
  std::vector<config::Pair> list;
  const auto& value = json::member(object, key);
  if (!value.is_object()) return list;
  for (const auto& [name, item] : value.items()) {
    if (item.is_string()) list.push_back({name, item.get<std::string>()});
  }
  return list;
}

}  // namespace ralph::trial
