#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "bench/trial/problem.h"
#include "bench/trial/shape.h"
#include "core/base/result.h"
#include "core/config/value.h"

namespace ralph::trial {

/// Where paths of a case begin: its directory; of a case from a pipe (`/dev/stdin`), the current one.
std::filesystem::path case_folder(const std::filesystem::path& file);
/// The document of a file of at most kLargestCaseFile bytes. Errors: "NAME:LINE: what is wrong".
Result<config::Node> read_node(const std::filesystem::path& file);

/// Replaces `${NAME}` in every text; unknown names stay.
void substitute(config::Node& node, const std::vector<config::Pair>& variables);

/// Checks a file's node against its shape; the file must be an object.
void check_file(const config::Node& node, const Shape& shape, const std::filesystem::path& file,
                std::vector<Problem>& problems, std::vector<Problem>& warnings);

// Members of checked documents.
std::vector<std::string> texts(const json::Document& object, std::string_view key);
std::vector<config::Pair> pairs(const json::Document& object, std::string_view key);

}  // namespace ralph::trial
