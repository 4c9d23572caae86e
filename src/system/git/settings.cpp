#include "system/git/settings.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "system/git/fields.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytesOfSettings = std::size_t{4} << 20;

/// Settings that start no program; the middle of a name may be anything.
struct Harmless {
  std::string_view begin, end;
};
constexpr Harmless kHarmless[] = {
    {"user.name", ""},      {"user.email", ""},
    {"author.name", ""},    {"author.email", ""},
    {"committer.name", ""}, {"committer.email", ""},
    {"branch.", ".remote"}, {"branch.", ".merge"},
    {"branch.", ".rebase"}, {"branch.", ".description"},
    {"remote.", ".url"},    {"remote.", ".pushurl"},
    {"remote.", ".fetch"},  {"pull.rebase", ""},
    {"push.default", ""},   {"push.autosetupremote", ""},
};

bool is_harmless(std::string_view key) {
  return std::ranges::any_of(kHarmless, [&](const Harmless& harmless) {
    if (harmless.end.empty()) return key == harmless.begin;
    return key.size() > harmless.begin.size() + harmless.end.size() &&
           key.starts_with(harmless.begin) && key.ends_with(harmless.end);
  });
}

/// Of the file's bytes; a directory counts as nothing, what cannot be read as its own kind of content.
std::string digest_of(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status) || fs::is_directory(status)) return {};
  if (!fs::is_regular_file(status)) return "not a file";
  const auto text = read_file(path, kMostBytesOfSettings);
  return text ? sha256_hex(*text) : "unreadable";
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  const auto relative = path.lexically_normal().lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

std::unexpected<Error> changed(std::string_view what) {
  return fail(
      Code::permission,
      fmt::format("{} was changed since ralph started: git could run programs it names", what),
      "check it; if the change is intended, start ralph again");
}

}  // namespace

/// The repository's own values, and those of files inside the directory, in git's order.
Result<std::vector<Settings::Value>> Settings::values(const Program& git) {
  const Call call{{"config", "--list", "--includes", "--show-scope", "--show-origin", "-z"}};
  TRY_ASSIGN(const auto text, git.ask(call));
  std::vector<Value> values;
  for (Fields fields(text); !fields.done();) {
    const auto scope = fields.next();
    auto origin = fields.next();
    const auto entry = fields.next();
    if (!origin.starts_with("file:")) continue;
    origin.remove_prefix(5);
    const bool own = scope == "local" || scope == "worktree";
    const auto end = std::min(entry.find('\n'), entry.size());
    const auto key = entry.substr(0, end);
    if ((own && !is_harmless(key)) || (!own && lies_in(origin, git.root()))) {
      values.push_back({std::string(origin), std::string(key), std::string(entry.substr(end))});
    }
  }
  return values;
}

Result<Settings> Settings::read(const Program& git, const fs::path& common) {
  Settings settings;
  const auto& own = git.git_folder();
  settings.git_folders_ = {own};
  if (common != own) settings.git_folders_.push_back(common);
  for (const auto& path : {git.root() / ".git", own / "commondir", common / "info/attributes"}) {
    settings.fixed_.push_back({path, digest_of(path)});
  }
  for (const auto& path : {common / "config", own / "config.worktree"}) {
    settings.configs_.push_back({path, digest_of(path)});
  }
  TRY_ASSIGN(settings.values_, values(git));
  settings.includes_ = std::ranges::any_of(settings.values_, [&](const Value& value) {
    const bool known = std::ranges::any_of(
        settings.configs_, [&](const File& file) { return file.path == fs::path(value.file); });
    return !known || value.key.starts_with("include");
  });
  return settings;
}

Result<> Settings::compare(const std::vector<Value>& now) const {
  const auto [was, is] = std::ranges::mismatch(values_, now);
  if (is != now.end()) return changed(fmt::format("'{}' ({})", is->file, is->key));
  if (was != values_.end()) return changed(fmt::format("'{}' ({})", was->file, was->key));
  return {};
}

Result<> Settings::check(const Program& git) const {
  const auto is_other = [](const File& file) { return digest_of(file.path) != file.digest; };
  const auto other = std::ranges::find_if(fixed_, is_other);
  if (other != fixed_.end()) return changed(fmt::format("'{}'", other->path.native()));
  if (!includes_ && std::ranges::none_of(configs_, is_other)) return {};
  TRY_ASSIGN(const auto now, values(git));
  return compare(now);
}

std::string Settings::digest() const {
  std::string text;
  const auto add = [&](std::string_view part) { text += fmt::format("{}:{}", part.size(), part); };
  for (const auto& file : fixed_) {
    add(file.path.native());
    add(file.digest);
  }
  for (const auto& value : values_) {
    add(value.file);
    add(value.key);
    add(value.value);
  }
  return sha256_hex(text);
}

}  // namespace ralph::git
