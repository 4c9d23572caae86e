#include "system/process/environment.h"

#include <algorithm>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ralph::process {

namespace {

constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

bool names(std::string_view entry, std::string_view name) {
  return entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
}

Result<> check_change(const EnvChange& change) {
  const bool bad_name = change.name.empty() || change.name.find('=') != std::string::npos ||
                        change.name.find('\0') != std::string::npos;
  if (bad_name) {
    return fail(Code::usage,
                fmt::format("environment variable name '{}' is not valid", change.name),
                "a name is not empty and has no '=' and no NUL byte");
  }
  if (change.value && change.value->find('\0') != std::string::npos) {
    return fail(Code::usage,
                fmt::format("the value of environment variable '{}' has a NUL byte", change.name));
  }
  return {};
}

enum class Found { no, not_executable, yes };

Found probe(const std::filesystem::path& candidate) {
  struct stat status{};
  if (::stat(candidate.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return Found::no;
  const bool executable = ::faccessat(AT_FDCWD, candidate.c_str(), X_OK, AT_EACCESS) == 0;
  return executable ? Found::yes : Found::not_executable;
}

}  // namespace

Result<std::vector<std::string>> changed_environment(const std::vector<EnvChange>& changes) {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    entries.emplace_back(*entry);
  }
  for (const EnvChange& change : changes) {
    TRY(check_change(change));
    std::erase_if(entries, [&](const std::string& entry) { return names(entry, change.name); });
    if (change.value) entries.push_back(fmt::format("{}={}", change.name, *change.value));
  }
  return entries;
}

std::optional<std::string_view> variable(const std::vector<std::string>& entries,
                                         std::string_view name) {
  for (const std::string_view entry : entries) {
    if (names(entry, name)) return entry.substr(name.size() + 1);
  }
  return std::nullopt;
}

Result<std::string> find_program(std::string_view name, const std::vector<std::string>& environment,
                                 const std::filesystem::path& cwd) {
  if (name.find('/') != std::string_view::npos) return std::string(name);
  std::string refused;
  std::string_view rest = variable(environment, "PATH").value_or(kDefaultPath);
  for (bool more = true; more;) {
    const std::size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    more = colon != std::string_view::npos;
    if (more) rest.remove_prefix(colon + 1);
    const auto candidate = std::filesystem::path(folder.empty() ? "." : folder) / name;
    const Found found = probe(cwd / candidate);
    if (found == Found::yes) return candidate.string();
    if (found == Found::not_executable && refused.empty()) refused = candidate.string();
  }
  if (!refused.empty()) {
    return fail(Code::permission, fmt::format("'{}' is not executable", refused),
                fmt::format("chmod +x '{}'", refused));
  }
  return fail(Code::not_found, fmt::format("program '{}' was not found in PATH", name),
              "install it, or give its full path");
}

}  // namespace ralph::process
