#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/tool/base64.h"
#include "agent/tool/safe_file.h"
#include "agent/wire/control_requests_impl.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/json/field.h"

/// Requests about files of the working directory.
namespace ralph::wire {
namespace {

namespace fs = std::filesystem;
using json::Document;

/// Clients reject lines over 1 MiB.
constexpr std::size_t kMostRead = std::size_t{512} << 10;
constexpr std::size_t kMostVisited = 20'000;  // entries of one search
constexpr std::size_t kMostSuggested = 15;

/// Whether the Read tool may read the file without asking.
bool may_read(const AgentParts& parts, const fs::path& resolved, const std::string& name) {
  const Document input{{"file_path", name}};
  const permission::Access access{
      .kind = permission::Access::Kind::read, .path = resolved, .command = {}};
  const auto& tool = *tool::find_tool("Read");
  return parts.policy.decide(tool::permission_call(tool, input, access, parts.workspace)).allowed;
}

Result<std::string> first_bytes(const tool::OpenFile& file, std::size_t most,
                                const fs::path& name) {
  std::string bytes, piece;
  while (bytes.size() < most) {
    TRY_ASSIGN(const auto more, tool::read_piece(file, piece, name));
    if (more.empty()) break;
    bytes += more.substr(0, most - bytes.size());
  }
  return bytes;
}

struct Suggestion {
  std::string path;  // of a directory: with "/" at the end
  bool folder = false;
  bool begins = false;  // its name begins with the query
};

bool is_left_out(const fs::path& path) { return path.filename() == ".git"; }

/// In the working directory; directories that a link leads to are not entered.
std::vector<Suggestion> find_names(const AgentParts& parts, const std::string& query) {
  const auto& root = parts.workspace.setup().root;
  std::vector<Suggestion> found;
  std::error_code error;
  fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, error);
  std::size_t visited = 0;
  for (; !error && at != fs::recursive_directory_iterator() && ++visited <= kMostVisited;
       at.increment(error)) {
    const bool folder = at->is_directory(error) && !at->is_symlink(error);
    const bool hidden =
        is_left_out(at->path()) || parts.denied_files.contains(at->path(), at->path());
    if (folder && (hidden || query.empty())) at.disable_recursion_pending();
    if (hidden) continue;
    const auto name = utf8::repaired(at->path().lexically_relative(root).string());
    if (!query.empty() && !to_lower(name).contains(query)) continue;
    const auto own_name = to_lower(utf8::repaired(at->path().filename().string()));
    found.push_back({folder ? name + "/" : name, folder, own_name.starts_with(query)});
  }
  return found;
}

}  // namespace

ControlReply serve_read_file(AgentParts& parts, const Document& request) {
  const auto name = json::text(request, "path");
  const auto denied = refusal("read denied: " + name);
  const auto resolved = parts.workspace.resolve(name);
  if (name.empty() || !may_read(parts, resolved, name)) return denied;
  const auto file = tool::open_for_reading(resolved);
  if (!file) return denied;
  const auto wanted = json::integer(request, "max_bytes");
  const auto most = wanted > 0 ? std::min(static_cast<std::size_t>(wanted), kMostRead) : kMostRead;
  const auto bytes = first_bytes(*file, most, resolved);
  if (!bytes) return denied;
  const bool base64 = json::text(request, "encoding") == "base64";
  const auto text = base64 ? tool::base64(*bytes) : utf8::repaired(*bytes);
  Document payload{{"contents", text}, {"absPath", resolved.string()}};
  if (bytes->size() < file->stamp.size) payload["truncated"] = true;
  if (base64) {
    payload["encoding"] = "base64";
  } else {
    payload["lossy"] = text != *bytes;
  }
  payload["requested_path"] = name;
  return success(std::move(payload));
}

ControlReply serve_file_suggestions(AgentParts& parts, const Document& request) {
  auto found = find_names(parts, to_lower(json::text(request, "query")));
  std::ranges::sort(found, {}, [](const Suggestion& each) {
    return std::tuple(!each.begins, !each.folder, each.path.size(), each.path);
  });
  auto list = Document::array();
  for (const auto& each : found) {
    if (list.size() == kMostSuggested) break;
    list.push_back({{"path", each.path}});
  }
  return success({{"suggestions", list}, {"cwd", parts.workspace.setup().root.string()}});
}

/// The client has seen the file: it counts as read if it has not changed since.
ControlReply serve_seed_read_state(AgentParts& parts, const Document& request) {
  const auto name = json::text(request, "path");
  const auto seen_ms = json::number(request, "mtime");
  if (name.empty() || !seen_ms) {
    return refusal("seed_read_state: path must be a string and mtime a number");
  }
  const auto resolved = parts.workspace.resolve(name);
  const auto file = may_read(parts, resolved, name) ? tool::open_for_reading(resolved)
                                                    : fail(Code::usage, "denied");
  const auto unchanged = [&] {
    return file->stamp.modified_ns / 1'000'000 <= static_cast<std::int64_t>(*seen_ms);
  };
  if (file && unchanged()) parts.workspace.remember(resolved, file->stamp);
  return success();
}

ControlReply serve_rewind_files(AgentParts&, const Document&) {
  return refusal("File rewinding is not enabled.");
}

}  // namespace ralph::wire
