#include <algorithm>
#include <cctype>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/transcript_impl.h"
#include "base/utf8.h"

namespace ralph::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestKey = 200;

/// The units of UTF-16, in which Claude Code counts; a byte that is no UTF-8 is one unit.
std::u16string to_utf16(std::string_view text) {
  std::u16string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (lead >= 0x80 && (lead < 0xC2 || lead > 0xF4 || i + size > text.size())) {
      out += u'\uFFFD';
      ++i;
      continue;
    }
    char32_t point = size == 1 ? lead : lead & (0xFFU >> (size + 1));
    for (std::size_t k = 1; k < size; ++k) {
      point = (point << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    }
    i += size;
    if (point < 0x10000) {
      out += static_cast<char16_t>(point);
    } else {
      out += static_cast<char16_t>(0xD800 + ((point - 0x10000) >> 10));
      out += static_cast<char16_t>(0xDC00 + ((point - 0x10000) & 0x3FF));
    }
  }
  return out;
}

std::string base36(std::uint32_t number) {
  std::string out;
  do {
    out.insert(out.begin(), "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36]);
    number /= 36;
  } while (number > 0);
  return out;
}

/// Java's hash of a string, without its sign.
std::string hash_of(const std::u16string& text) {
  std::uint32_t hash = 0;
  for (const char16_t unit : text) hash = hash * 31 + unit;
  return base36(hash > 0x80000000U ? 0U - hash : hash);
}

std::string key_of(const fs::path& real_path) {
  const auto units = to_utf16(real_path.native());
  std::string key;
  for (const char16_t unit : units) {
    const bool plain = unit < 0x80 && std::isalnum(static_cast<int>(unit)) != 0;
    key += plain ? static_cast<char>(unit) : '-';
  }
  if (key.size() <= kLongestKey) return key;
  return key.substr(0, kLongestKey) + "-" + hash_of(units);
}

/// No link.
bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(path, error));
}

/// The sessions of a folder, the newest first.
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
    found = document && text_member(*document, "type") == "user" && document->contains("message") &&
            !true_member(*document, "isSidechain");
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
    const auto type = text_member(*document, "type");
    if (type == "custom-title") custom = text_member(*document, "customTitle");
    if (type == "ai-title") other = text_member(*document, "aiTitle");
    if (type == "summary") other = text_member(*document, "summary");
    return true;
  });
  return custom.empty() ? other : custom;
}

bool is_file_name(std::string_view id) {
  return !id.empty() && id.size() <= 128 && std::ranges::all_of(id, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  });
}

/// A link, pipe or device too: who asks for it by its id is told why it is refused.
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
  return config_folder / "projects" / key_of(error ? cwd : real);
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

}  // namespace ralph::agent
