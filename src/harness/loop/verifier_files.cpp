#include "harness/loop/verifier_files.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/base/file.h"
#include "core/base/names.h"
#include "core/base/path.h"
#include "core/base/program_file.h"
#include "core/base/sha256.h"
#include "harness/loop/check_file.h"
#include "harness/loop/command_files.h"
#include "harness/loop/file_identity.h"
#include "system/process/environment.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

std::string file_digest(const fs::path& file) {
  const auto bytes = read_file(file);
  return bytes ? sha256_hex(*bytes) : std::string();
}

bool is_script(const FileVersion& version) {
  return version.kind == FileVersion::Kind::link ||
         (version.kind == FileVersion::Kind::file && !is_elf(version.bytes));
}

/// The interpreter that a script names in its first line; empty: it names none.
std::string interpreter_in(const FileVersion& script) {
  if (script.kind != FileVersion::Kind::file || !script.bytes.starts_with("#!/")) return {};
  const auto line = script.bytes.substr(2, script.bytes.find('\n') - 2);
  return line.substr(0, line.find_first_of(" \t\r"));
}

/// A second check would be ignored silently.
Result<> refuse_second_check(const VerifierPlace& place) {
  const auto path = place.workspace / kRalphFolder / kCheck;
  std::error_code ignored;
  if (place.root() == place.workspace || !fs::exists(fs::symlink_status(path, ignored))) return {};
  return fail(Code::usage,
              fmt::format("'{}' would not be run: the check of this repository is '{}'",
                          path.native(), (place.root() / kRalphFolder / kCheck).native()),
              "move it there, or rename it and use --verify");
}

std::unexpected<Error> changed_own(std::string_view what, std::string_view name = kCheck) {
  return changed(what, fmt::format(".ralph/{}", name));
}

}  // namespace

std::unexpected<Error> changed(std::string_view what, std::string_view path,
                               std::string_view when) {
  return fail(Code::permission, fmt::format("'{}' {} {}", path, what, when),
              "review it, then resume the loop");
}

std::map<std::string, std::string> ralph_files_in(const VerifierPlace& place) {
  auto digests = ralph_folder_digests(place.root());
  if (place.root() == place.workspace) return digests;
  const auto below = place.workspace.lexically_relative(place.root());
  for (auto& [name, digest] : ralph_folder_digests(place.workspace)) {
    digests[(".." / below / kRalphFolder / name).native()] = std::move(digest);
  }
  return digests;
}

Result<VerifierFiles> VerifierFiles::find(VerifierPlace place, std::vector<std::string> commands) {
  VerifierFiles files;
  TRY(refuse_second_check(place));
  TRY_ASSIGN(auto check, read_check(place.root()));
  if (check) {
    files.check_ = place.root() / kRalphFolder / kCheck;
    files.check_bytes_ = *std::move(check);
  }
  for (const auto& name : named_in(commands)) {
    TRY_ASSIGN(auto digest, digest_of_named(place.workspace, name));
    files.named_.push_back({name, std::move(digest)});
  }
  files.folder_ = ralph_files_in(place);
  files.place_ = std::move(place);
  files.commands_ = std::move(commands);
  TRY(files.find_files());
  return files;
}

std::vector<std::string> VerifierFiles::names() const {
  auto names = commands_;
  if (!check_.empty()) names.emplace_back(".ralph/check");
  return names;
}

/// Lengths keep ["a", "b"] and ["ab"] apart.
std::string VerifierFiles::digest() const {
  std::string all;
  const auto add = [&](std::string_view part) { all += fmt::format("{}:{}\n", part.size(), part); };
  for (const auto& command : commands_) add(command);
  add("check " + (check_.empty() ? std::string() : sha256_hex(check_bytes_)));
  for (const auto& [name, digest] : named_) add(name + " " + digest);
  for (const auto& [path, version] : scripts_) add(path + " " + sha256_hex(version.bytes));
  if (uses_ralph_files()) {
    for (const auto& [name, digest] : folder_) add(name + " " + digest);
  }
  for (const auto* files : {&named_outside_, &programs_outside_}) {
    for (const auto& [path, identity] : *files) {
      if (is_content(identity)) add(path + " " + identity);
    }
  }
  for (const auto& [program, path] : programs_) {
    if (is_below(path, place_.workspace)) add(program + " " + path);
  }
  return sha256_hex(all);
}

Result<> VerifierFiles::named_unchanged() const {
  for (const auto& [name, digest] : named_) {
    const auto now = digest_of_named(place_.workspace, name);
    if (!now) return changed_own("was replaced", name);
    if (*now == digest) continue;
    return changed_own(digest.empty() ? "was added"
                       : now->empty() ? "was removed"
                                      : "was changed",
                       name);
  }
  return {};
}

Result<> VerifierFiles::check_unchanged() const {
  const auto check = read_check(place_.root());
  if (!check) return changed_own("was replaced");
  if (check->has_value() != !check_.empty()) {
    return changed_own(*check ? "was added" : "was removed");
  }
  if (*check && **check != check_bytes_) return changed_own("was changed");
  return {};
}

/// Whether what is run may read other files of `.ralph/`.
bool VerifierFiles::uses_ralph_files() const {
  return !check_.empty() || std::ranges::any_of(commands_, [](const std::string& command) {
    return command.contains(kRalphFolder);
  });
}

Result<> VerifierFiles::folder_unchanged(std::vector<store::Finding>& findings) const {
  const auto now = ralph_files_in(place_);
  if (now == folder_) return {};
  std::string name, what = "was removed";
  for (const auto& [file, digest] : folder_) {
    const auto found = now.find(file);
    if (found != now.end() && found->second == digest) continue;
    name = file;
    if (found != now.end()) what = "was changed";
    break;
  }
  for (const auto& [file, digest] : now) {
    if (name.empty() && !folder_.contains(file)) name = file, what = "was added";
  }
  if (uses_ralph_files()) return changed_own(what, name);
  const auto path = ".ralph/" + name;
  findings.push_back({fmt::format("'{}' {} since the loop began", path, what), {path}});
  return {};
}

Result<> VerifierFiles::unchanged(const StartFiles* start,
                                  std::vector<store::Finding>& findings) const {
  TRY(check_unchanged());
  TRY(folder_unchanged(findings));
  TRY(programs_unchanged(findings));
  TRY(outside_unchanged(named_outside_));
  TRY(outside_unchanged(programs_outside_));
  find_changed_inputs(start, findings);
  return {};
}

Result<> VerifierFiles::add_scripts(const std::vector<std::string>& paths) {
  for (const auto& path : paths) {
    if (std::ranges::find(scripts_, path, &FileSwap::Wanted::path) != scripts_.end()) continue;
    TRY_ASSIGN(auto version, read_version(place_.workspace, path));
    if (is_script(version)) scripts_.push_back({path, std::move(version)});
  }
  return {};
}

Result<> VerifierFiles::find_files() {
  const auto& workspace = place_.workspace;
  TRY_ASSIGN(const auto environment, process::changed_environment(place_.env));
  auto files = files_of(commands_, workspace, environment);
  readers_ = std::move(files.readers);
  unknown_ = std::move(files.unknown);
  TRY(add_scripts(files.scripts));
  for (const auto& path : files.outside) named_outside_[path] = identity_of(path);
  std::vector<std::string> more;
  for (const auto& script : scripts_) more.push_back(interpreter_in(script.version));
  for (const auto& program : files.programs) {
    auto& path = programs_[program] = resolve(program);
    if (path.empty()) continue;
    more.push_back(path);
    const auto file = resolve_links(path).file;
    if (!file.empty() && !is_below(file, workspace) && is_writable(file)) {
      programs_outside_[file.native()] = identity_of(file);
    }
  }
  const auto found = files_of_programs(more, workspace);
  TRY(add_scripts(found.scripts));
  for (const auto& path : found.outside) programs_outside_[path] = identity_of(path);
  for (const auto& input : files.inputs) inputs_[input] = file_digest(workspace / input);
  return {};
}

std::vector<std::string> VerifierFiles::script_paths() const {
  std::vector<std::string> paths;
  for (const auto& script : scripts_) paths.push_back(script.path);
  return paths;
}

void VerifierFiles::trust_scripts(const std::vector<std::string>& paths) {
  for (const auto& path : paths) {
    if (std::erase_if(scripts_, [&](const auto& script) { return script.path == path; }) > 0) {
      inputs_[path] = file_digest(place_.workspace / path);
    }
  }
}

std::vector<std::string> VerifierFiles::kept_paths() const {
  auto kept = script_paths();
  for (const auto& [path, identity] : named_outside_) kept.push_back(path);
  if (!check_.empty()) kept.emplace_back(".ralph/check");
  return kept;
}

std::string VerifierFiles::notice() const {
  const auto kept = kept_paths();
  if (kept.empty() && readers_.empty() && unknown_.empty()) return {};
  std::vector<std::string> inputs;
  for (const auto& [path, digest] : inputs_) inputs.push_back(path);
  std::string text = "verification";
  bool first = true;
  const auto add = [&](const std::vector<std::string>& names, std::string_view before,
                       std::string_view after) {
    if (names.empty()) return;
    text += fmt::format("{} {} {}{}", first ? "" : ",", before, join_names(names), after);
    first = false;
  };
  add(kept, "keeps the current version of", "");
  add(inputs, "reports changes to", "");
  add(unknown_, "does not know which files", " runs");
  const auto reader = readers_.empty() ? "it" : join_names(readers_);
  text += first ? ": " : "; other ";
  return fmt::format(
      "{}files that {} reads can be changed by the agent: --protect GLOB keeps files as "
      "they "
      "are now, --verify-clean verifies in a clean clone",
      text, reader);
}

bool VerifierFiles::is_installed(const std::string& path) const {
  const auto folder = fs::path(path).parent_path();
  std::error_code ignored;
  return ("/" + path).contains("/node_modules/") ||
         fs::exists(place_.workspace / folder.parent_path() / "pyvenv.cfg", ignored);
}

/// By the PATH that verification has.
std::string VerifierFiles::resolve(const std::string& program) const {
  const auto environment = process::changed_environment(place_.env);
  if (!environment) return {};
  return process::find_program(program, *environment, place_.workspace.native()).value_or("");
}

Result<> VerifierFiles::programs_unchanged(std::vector<store::Finding>& findings) const {
  for (const auto& [program, path] : programs_) {
    const auto now = resolve(program);
    if (now == path) continue;
    if (path.empty()) {
      findings.push_back(
          {fmt::format("'{}' is '{}', installed since the loop began", program, now)});
      continue;
    }
    return changed(fmt::format("is '{}', and was '{}'", now, path), program, "when the loop began");
  }
  return {};
}

void VerifierFiles::find_changed_inputs(const StartFiles* start,
                                        std::vector<store::Finding>& findings) const {
  for (const auto& [path, digest] : inputs_) {
    if (start != nullptr && start->matches(path)) continue;  // its version of the start is used
    if (file_digest(place_.workspace / path) == digest) continue;
    findings.push_back(
        {fmt::format("'{}', which verification reads, was changed since the loop began", path),
         {path}});
  }
}

Result<> VerifierFiles::outside_unchanged(const Identities& files) {
  for (const auto& [path, identity] : files) {
    if (identity_of(path) != identity) return changed("was changed", path);
  }
  return {};
}

Result<> VerifierFiles::named_outside_unchanged() const {
  return outside_unchanged(named_outside_);
}

Result<run::FileWatch> VerifierFiles::watch_outside() const {
  std::vector<std::string> paths;
  for (const auto& [path, identity] : named_outside_) paths.push_back(path.substr(1));
  return run::FileWatch::on("/", paths);
}

}  // namespace ralph::loop
