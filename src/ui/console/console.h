#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "core/base/mask.h"
#include "harness/stream/handler.h"
#include "harness/stream/summary.h"
#include "ui/console/output.h"
#include "ui/console/verbosity.h"

namespace ralph::console {

struct ConsoleOptions {
  Verbosity verbosity = Verbosity::normal;
  std::string agent_name;     // what people call the agent: "Claude"
  std::string endpoint = {};  // of the model; empty: unknown
  bool colour_out = false;    // the same words, coloured
  bool colour_err = false;
  bool one_screen =
      false;  // stdout and stderr are one terminal or file: errors are shown there once
  bool agent_budget = true;  // false: the agent's cost limit is a part of one that the result names
  bool hints = true;         // what to do about a failure, also when its error was shown already
  /// Before errors and warnings, "14:05:09 "; empty: nothing.
  std::function<std::string()> stamp_out = {}, stamp_err = {};
};

/// Shows a run as lines of text.
///   normal   `Claude: TEXT`, `[Tool] NAME: DETAIL`
///   verbose  also `[Thinking]`, `[Result]`, `[Usage]`, `[Notice]`, `[Unknown]` and the end summary
///   quiet    nothing on stdout
/// Errors go to stdout and to stderr (quiet: stderr only), warnings to stderr and in verbose to
/// stdout. A subagent's lines are indented by two spaces; its text is shown in verbose only, its
/// tools always. Everything but `Claude: TEXT` is one line. All text passes safe_text() and the
/// masker first.
class Console final : public stream::Handler {
 public:
  /// All of them outlive the console; the summary gets its events before the console does.
  Console(ConsoleOptions options, const Masker& masker, const stream::Summary& summary,
          Output& output);

  void on(const stream::Event&, const stream::SessionStarted&) override;
  void on(const stream::Event&, const stream::Text&) override;
  void on(const stream::Event&, const stream::Thinking&) override;
  void on(const stream::Event&, const stream::ToolCall&) override;
  void on(const stream::Event&, const stream::ToolResult&) override;
  void on(const stream::Event&, const stream::Retry&) override;
  void on(const stream::Event&, const stream::Notice&) override;
  void on(const stream::Event&, const stream::ErrorEvent&) override;
  void on(const stream::Event&, const stream::TurnEnded&) override;
  void on(const stream::Event&, const stream::RunResult&) override;
  void on(const stream::Event&, const stream::Unknown&) override;

 private:
  struct Tag;
  bool verbose() const { return options_.verbosity == Verbosity::verbose; }
  bool quiet() const { return options_.verbosity == Verbosity::quiet; }
  std::string shown(std::string_view text) const;
  std::string shown_line(std::string_view text, std::size_t code_points) const;
  std::string failure_text(const stream::RunResult& result) const;
  void print(const stream::Event& event, const Tag& tag, std::string_view text,
             std::string_view stamp = {});
  void error(const stream::Event& event, std::string_view text);
  void warning(const stream::Event& event, std::string_view text);

  ConsoleOptions options_;
  const Masker& masker_;
  const stream::Summary& summary_;
  Output& output_;
  std::string last_error_;  // as it was shown, since the agent last said something else
  bool doctor_named_ = false;
};

}  // namespace ralph::console
