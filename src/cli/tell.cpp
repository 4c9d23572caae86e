#include <string>
#include <vector>

#include <fmt/core.h>

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/loop_folder.h"
#include "core/base/file.h"
#include "harness/run/request.h"
#include "harness/store/guidance.h"
#include "harness/store/loop_state_store.h"

namespace ralph::cli {
namespace {

Result<std::string> text_of(const Arguments& arguments) {
  if (arguments.positional(0) == "-") return read_fd(0, "standard input");
  return std::string(arguments.positional(0));
}

Result<> leave(const std::filesystem::path& folder, std::string_view text) {
  TRY_ASSIGN(const auto workspace, store::Workspace::open(folder));
  TRY(store::Guidance(folder, store::user_state_folder()).leave(text));
  return {};
}

Result<> tell(const Arguments& arguments, StdOutput& output) {
  TRY_ASSIGN(const auto folder, folder_of(arguments));
  TRY_ASSIGN(const auto text, text_of(arguments));
  const auto snapshot = read_loop(folder, output);
  std::vector<std::string> warnings;
  TRY(run::check_text("guidance", text, arguments.flag("allow-secrets"), Masker(environment()),
                      warnings));
  for (const auto& warning : warnings) warn(warning, output);
  TRY(leave(folder, text));
  output.out(fmt::format("kept {}\n", snapshot.guidance_reader()));
  if (snapshot.runs()) return {};
  warn(fmt::format("no loop is running in '{}'", folder.native()), output);
  return {};
}

int tell_command(const Arguments& arguments, StdOutput& output) {
  const auto sent = tell(arguments, output);
  return sent ? 0 : report(sent.error(), output);
}

constexpr Positional kTellPositionals[] = {
    {"GUIDANCE", "the message for the agent; '-': standard input"}};
constexpr Option kTellOptions[] = {
    kCwdOption,
    {"--allow-secrets", "", "send the text even if it holds what looks like a key"},
};
constexpr Example kTellExamples[] = {
    {"ralph tell 'Leave the parser alone, the bug is in the lexer'", "for the next iteration"},
    {"make test 2>&1 | tail -50 | ralph tell -", "the output of a program"},
};

}  // namespace

constinit const Command kTellCommand{
    "tell",
    "give the agent of a loop a hint",
    "The text is added to the prompt of the next iteration, once; the running iteration is not\n"
    "affected. Without a running loop it is kept for the next one.",
    kTellPositionals,
    kTellOptions,
    kTellExamples,
    tell_command,
};

}  // namespace ralph::cli
