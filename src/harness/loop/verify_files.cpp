// Which files verification is made of, and whether they are those of the start.
#include <algorithm>

#include <fmt/core.h>

#include "core/base/file.h"
#include "core/base/names.h"
#include "core/base/path.h"
#include "core/base/program_file.h"
#include "core/base/sha256.h"
#include "harness/loop/command_files.h"
#include "harness/loop/file_identity.h"
#include "harness/loop/verify.h"
#include "harness/loop/verify_impl.h"
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

}  // namespace

std::unexpected<Error> changed(std::string_view what, std::string_view path,
                               std::string_view when) {
  return fail(Code::permission, fmt::format("'{}' {} {}", path, what, when),
              "look at what it does now before you let a loop go on with it");
}

Result<> Verifier::add_scripts(const std::vector<std::string>& paths) {
  for (const auto& path : paths) {
    if (std::ranges::find(scripts_, path, &FileSwap::Wanted::path) != scripts_.end()) continue;
    TRY_ASSIGN(auto version, read_version(place_.workspace, path));
    if (is_script(version)) scripts_.push_back({path, std::move(version)});
  }
  return {};
}

Result<> Verifier::find_files() {
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

std::vector<std::string> Verifier::scripts() const {
  std::vector<std::string> paths;
  for (const auto& script : scripts_) paths.push_back(script.path);
  return paths;
}

void Verifier::trust_scripts(const std::vector<std::string>& paths) {
  for (const auto& path : paths) {
    if (std::erase_if(scripts_, [&](const auto& script) { return script.path == path; }) > 0) {
      inputs_[path] = file_digest(place_.workspace / path);
    }
  }
}

std::string Verifier::notice() const {
  auto kept = scripts();
  for (const auto& [path, identity] : named_outside_) kept.push_back(path);
  if (!check_.empty()) kept.emplace_back(".ralph/check");
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
  add(unknown_, "cannot tell which files", " runs");
  const auto reader = readers_.empty() ? "it" : join_names(readers_);
  text += first ? ": " : "; other ";
  return fmt::format(
      "{}files that {} reads can be changed by the agent: --protect GLOB keeps files as "
      "they "
      "are now, --verify-clean verifies in a clean clone",
      text, reader);
}

bool Verifier::is_installed(const std::string& path) const {
  const auto folder = fs::path(path).parent_path();
  std::error_code ignored;
  return ("/" + path).contains("/node_modules/") ||
         fs::exists(place_.workspace / folder.parent_path() / "pyvenv.cfg", ignored);
}

/// By the PATH that verification has.
std::string Verifier::resolve(const std::string& program) const {
  const auto environment = process::changed_environment(place_.env);
  if (!environment) return {};
  return process::find_program(program, *environment, place_.workspace.native()).value_or("");
}

Result<> Verifier::programs_unchanged(std::vector<store::Finding>& findings) const {
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

void Verifier::find_changed_inputs(const StartFiles* start,
                                   std::vector<store::Finding>& findings) const {
  for (const auto& [path, digest] : inputs_) {
    if (start != nullptr && start->matches(path)) continue;  // its version of the start is used
    if (file_digest(place_.workspace / path) == digest) continue;
    findings.push_back(
        {fmt::format("'{}', which verification reads, was changed since the loop began", path),
         {path}});
  }
}

Result<> Verifier::outside_unchanged(const Identities& files) {
  for (const auto& [path, identity] : files) {
    if (identity_of(path) != identity) return changed("was changed", path);
  }
  return {};
}

Result<FileWatch> Verifier::watch_outside() const {
  std::vector<std::string> paths;
  for (const auto& [path, identity] : named_outside_) paths.push_back(path.substr(1));
  return FileWatch::on("/", paths);
}

}  // namespace ralph::loop
