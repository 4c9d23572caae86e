#include <algorithm>
#include <cctype>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/session/transcript_impl.h"
#include "core/base/project_key.h"
#include "core/base/utf8.h"
#include "core/json/field.h"

namespace ralph::session {
namespace {

namespace fs = std::filesystem;

/// A regular file, not a link.
bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(path, error));
}

/// The sessions in a directory, the newest first.
std::vector<fs::path> sessions_in(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(folder, error))) return {};
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (at->path().extension() != ".jsonl" || !is_file(at->path())) continue;
    const auto time = at->last_write_time(gone);
    if (!gone) found.emplace_back(time, at->path());
  }
  std::ranges::sort(found, std::greater{});
  std::vector<fs::path> paths;
  for (auto& [time, path] : found) paths.push_back(std::move(path));
  return paths;
}

bool has_prompt(const fs::path& path) {
  bool found = false;
  std::ignore = read_session_lines(path, [&](std::string_view line, bool) {
    if (!line.contains("\"user\"")) return true;
    const auto document = json::parse(line, "line");
    found = document && json::text(*document, "type") == "user" && document->contains("message") &&
            !json::boolean(*document, "isSidechain");
    return !found;
  });
  return found;
}

std::string title_of(const fs::path& path) {
  std::string custom;
  std::string other;
  std::ignore = read_session_lines(path, [&](std::string_view line, bool) {
    if (!line.contains("-title\"") && !line.starts_with(R"({"type":"summary")")) return true;
    const auto document = json::parse(line, "line");
    if (!document) return true;
    const auto type = json::text(*document, "type");
    if (type == "custom-title") custom = json::text(*document, "customTitle");
    if (type == "ai-title") other = json::text(*document, "aiTitle");
    if (type == "summary") other = json::text(*document, "summary");
    return true;
  });
  return custom.empty() ? other : custom;
}

bool is_file_name(std::string_view id) {
  return !id.empty() && id.size() <= 128 && std::ranges::all_of(id, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  });
}

/// True also for a link, pipe or device: reading it then gives the error.
bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error)) && !fs::is_directory(path, error);
}

std::optional<fs::path> find_by_id(const fs::path& config_folder, const fs::path& cwd,
                                   std::string_view id) {
  if (!is_file_name(id)) return std::nullopt;
  if (auto here = transcript_path(config_folder, cwd, id); is_there(here)) return here;
  std::error_code error;
  std::vector<fs::path> found;
  fs::directory_iterator at(config_folder / "projects", error);
  for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
    auto there = at->path() / fmt::format("{}.jsonl", id);
    if (is_there(there)) found.push_back(std::move(there));
  }
  if (found.empty()) return std::nullopt;
  return *std::ranges::min_element(found);
}

bool same_title(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

fs::path sessions_folder(const fs::path& config_folder, const fs::path& cwd) {
  std::error_code error;
  const auto real = fs::weakly_canonical(cwd, error);
  return config_folder / "projects" / project_key(error ? cwd : real);
}

fs::path transcript_path(const fs::path& config_folder, const fs::path& cwd,
                         std::string_view session_id) {
  return sessions_folder(config_folder, cwd) / fmt::format("{}.jsonl", session_id);
}

bool belongs_to(const fs::path& session, const fs::path& config_folder, const fs::path& cwd) {
  const auto begun_in = recorded_cwd(session);
  if (!begun_in) return session.parent_path() == sessions_folder(config_folder, cwd);
  const auto real = [](const fs::path& path) {
    std::error_code error;
    const auto resolved = fs::weakly_canonical(path, error);
    return utf8::repaired((error ? path : resolved).native());
  };
  return real(*begun_in) == real(cwd);
}

std::optional<fs::path> newest_session(const fs::path& config_folder, const fs::path& cwd) {
  for (auto& path : sessions_in(sessions_folder(config_folder, cwd))) {
    if (has_prompt(path) && belongs_to(path, config_folder, cwd)) return std::move(path);
  }
  return std::nullopt;
}

std::vector<fs::path> sessions_titled(const fs::path& config_folder, const fs::path& cwd,
                                      std::string_view title) {
  auto paths = sessions_in(sessions_folder(config_folder, cwd));
  std::erase_if(paths, [&](const auto& path) {
    return title.empty() || !same_title(title_of(path), title) ||
           !belongs_to(path, config_folder, cwd);
  });
  return paths;
}

std::optional<fs::path> find_session(const fs::path& config_folder, const fs::path& cwd,
                                     std::string_view id_or_title) {
  if (auto path = find_by_id(config_folder, cwd, id_or_title)) return path;
  auto titled = sessions_titled(config_folder, cwd, id_or_title);
  if (titled.empty()) return std::nullopt;
  return std::move(titled.front());
}

std::filesystem::path output_folder(const std::filesystem::path& config_folder,
                                    const std::filesystem::path& cwd, std::string_view session_id) {
  const auto session = transcript_path(config_folder, cwd, session_id);
  return resolved_session_path(session).parent_path() / session_id / "tool-results";
}

std::filesystem::path subagents_folder(const std::filesystem::path& config_folder,
                                       const std::filesystem::path& cwd,
                                       std::string_view session_id) {
  return output_folder(config_folder, cwd, session_id).parent_path() / "subagents";
}

}  // namespace ralph::session
