#include "run/config_watch.h"

#include <algorithm>
#include <cerrno>
#include <unordered_map>

#include <fcntl.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/placeholder.h"
#include "base/sha256.h"
#include "base/unique_fd.h"
#include "base/utf8.h"
#include "json/document.h"
#include "json/writer.h"
#include "run/state_record.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = std::size_t{1} << 20;
constexpr std::size_t kLargestRecord = std::size_t{8} << 20;
constexpr std::size_t kMostLines = 8;
constexpr std::size_t kLongestLine = 120;

std::string variable(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string_view entry : environment) {
    if (entry.starts_with(name) && entry.substr(name.size()).starts_with('=')) {
      return std::string(entry.substr(name.size() + 1));
    }
  }
  return {};
}

struct Content {
  std::string digest, text;
};

/// What is no regular file, or too large to be settings, has a digest of its own.
Content read(const fs::path& file) {
  if (is_placeholder(file.c_str())) return {"absent", {}};
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return {errno == ENOENT || errno == ENOTDIR ? "absent" : "unreadable", {}};
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return {"not a file", {}};
  auto text = read_fd(fd.get(), file.native(), kLargestFile);
  if (!text) return {"unreadable", {}};
  return {sha256_hex(*text), *std::move(text)};
}

/// The same for every name of a file, and whether or not its folder exists: weakly_canonical() leaves a relative path
/// relative when nothing of it exists. The file itself may be a link, or not exist.
fs::path full_name(const fs::path& file) {
  std::error_code error;
  const auto whole = fs::absolute(file, error);
  if (error) return file;
  const auto folder = fs::weakly_canonical(whole.parent_path(), error);
  return error ? whole : folder / whole.filename();
}

fs::path record_of(const fs::path& state, const fs::path& file) {
  return state / "config" / (sha256_hex(file.native()) + ".json");
}

/// Nothing: there is no record, or it cannot be read.
std::optional<Content> read_record(const fs::path& record) {
  const auto text = read_file(record, kLargestRecord);
  if (!text) return std::nullopt;
  const auto document = json::parse(*text);
  if (!document || !document->is_object()) return std::nullopt;
  const auto member = [&](const char* name) {
    const auto found = document->find(name);
    return found != document->end() && found->is_string() ? found->get<std::string>()
                                                          : std::string();
  };
  return Content{member("digest"), member("text")};
}

std::unordered_map<std::string_view, int> lines_of(std::string_view text) {
  std::unordered_map<std::string_view, int> lines;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++lines[line];
  }
  return lines;
}

/// Harmless on a terminal.
std::string shown(std::string_view line, const Masker& masker) {
  auto text = masker.mask(utf8::shortened(utf8::repaired(line), kLongestLine));
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool c1 =
        byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (c1) ++i;
    safe += c1 || byte < 0x20 || byte == 0x7f ? '?' : text[i];
  }
  return safe;
}

/// The lines of `text` that `other` has less often, each behind the sign.
void add_lines(std::string& out, char sign, std::string_view text, std::string_view other,
               const Masker& masker) {
  auto have = lines_of(other);
  std::size_t count = 0;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (--have[line] >= 0) continue;
    if (++count > kMostLines) continue;
    out += fmt::format("\n  {} {}", sign, shown(line, masker));
  }
  if (count > kMostLines) out += fmt::format("\n  {} … {} more lines", sign, count - kMostLines);
}

}  // namespace

fs::path state_folder(const std::vector<std::string>& environment) {
  const fs::path folder = variable(environment, "XDG_STATE_HOME");
  if (folder.is_absolute()) return folder / "ralph";
  const fs::path home = variable(environment, "HOME");
  return home.is_absolute() ? home / ".local/state/ralph" : fs::path();
}

Result<ConfigWatch> ConfigWatch::begin(const fs::path& state, const std::vector<fs::path>& files) {
  ConfigWatch watch;
  if (state.empty()) return watch;
  TRY(make_state_folder(state, "config"));
  TRY(check(state, files, Masker(std::vector<std::string>{})));
  for (const auto& named : files) {
    const auto file = full_name(named);
    const auto record = record_of(state, file);
    const auto now = read(file);
    std::string text;
    json::ObjectWriter(text)
        .text("file", utf8::repaired(file.native()))
        .text("digest", now.digest)
        .text("text", utf8::repaired(now.text))
        .close();
    TRY(write_state_record(record, text + "\n"));
    watch.watched_.push_back({file, record, now.digest});
  }
  return watch;
}

std::vector<fs::path> ConfigWatch::finish() {
  std::vector<fs::path> changed;
  for (const auto& [file, record, digest] : watched_) {
    if (read(file).digest == digest) {
      ::unlink(record.c_str());
    } else {
      changed.push_back(file);
    }
  }
  watched_.clear();
  return changed;
}

Result<> ConfigWatch::check(const fs::path& state, const std::vector<fs::path>& files,
                            const Masker& masker) {
  if (state.empty()) return {};
  for (const auto& named : files) {
    const auto file = full_name(named);
    const auto before = read_record(record_of(state, file));
    if (!before) continue;
    const auto now = read(file);
    if (before->digest == now.digest) continue;
    auto message = fmt::format(
        "'{}' {} while an agent worked here, and you have not accepted it:", file.native(),
        before->digest == "absent" ? "was created"
        : now.digest == "absent"   ? "was removed"
                                   : "changed");
    add_lines(message, '-', before->text, now.text, masker);
    add_lines(message, '+', now.text, before->text, masker);
    return fail(Code::usage, std::move(message),
                "settings can name commands to run: read the file, then run 'ralph config accept', "
                "or put the old content back");
  }
  return {};
}

Result<std::vector<fs::path>> ConfigWatch::accept(const fs::path& state,
                                                  const std::vector<fs::path>& files) {
  std::vector<fs::path> accepted;
  for (const auto& named : files) {
    const auto file = full_name(named);
    const auto record = record_of(state, file);
    const auto before = read_record(record);
    if (!before || before->digest == read(file).digest) continue;
    if (::unlink(record.c_str()) != 0) {
      return fail_errno(errno, fmt::format("cannot remove '{}'", record.native()));
    }
    accepted.push_back(file);
  }
  return accepted;
}

std::string changed_settings(const fs::path& file) {
  return fmt::format(
      "'{}' changed while the agent worked: the next run obeys it only after 'ralph config accept'",
      utf8::repaired(file.native()));
}

}  // namespace ralph::run
