#include "ui/console/console.h"

#include <utility>

#include <fmt/core.h>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "harness/stream/outcome.h"
#include "ui/console/activity.h"
#include "ui/console/figures.h"
#include "ui/console/safe_text.h"
#include "ui/console/style.h"

namespace ralph::console {
namespace {

constexpr std::size_t kPerCodePoint = 32;

enum class Reach { tag, line };  // how much of a line its colour covers

void append_indented(std::string& out, std::string_view text, std::string_view indent) {
  std::size_t from = 0;
  for (auto at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', from)) {
    out.append(text.substr(from, at + 1 - from)).append(indent);
    from = at + 1;
  }
  out.append(text.substr(from));
}

std::string usage_text(const stream::Tokens& usage, std::optional<int> context_percent) {
  std::string text =
      fmt::format("in {} | out {} | cache read {} | cache write {}", usage.input_uncached,
                  usage.output, usage.cache_read, usage.cache_write);
  if (context_percent) text += fmt::format(" | context {}%", *context_percent);
  return text;
}

std::string skipped_text(const stream::RunResult& result) {
  const auto lines = result.skipped_lines;
  auto text = fmt::format("{} could not be read and {} skipped", counted(lines, "line"),
                          lines == 1 ? "was" : "were");
  if (!result.raw_log.empty()) text += fmt::format(" (see the raw log {})", result.raw_log);
  return text;
}

std::string end_text(const stream::RunResult& result) {
  const bool minimum = result.usage_is_minimum && result.cost_usd;
  return fmt::format("\n--- Session {} ---\nDuration: {}ms | Cost: {}{} | Turns: {}\n",
                     result.status == stream::Status::success ? "Complete" : "Ended",
                     result.duration_ms, minimum ? "at least " : "", dollars(result.cost_usd),
                     result.turns);
}

std::string stamp(const std::function<std::string()>& clock) { return clock ? clock() : ""; }

}  // namespace

struct Console::Tag {
  std::string_view name, colour;
  Reach reach = Reach::tag;

  std::string line(std::string_view indent, std::string_view text, bool coloured) const {
    const auto begin = coloured ? colour : "";
    const auto end = coloured ? kReset : "";
    std::string out(indent);
    out.append(begin).append(name).append(reach == Reach::tag ? end : "");
    if (!text.empty()) out += ' ';
    append_indented(out, text, indent);
    return out.append(reach == Reach::line ? end : "").append("\n");
  }
};

Console::Console(ConsoleOptions options, const Masker& masker, const stream::Summary& summary,
                 Output& output)
    : options_(std::move(options)), masker_(masker), summary_(summary), output_(output) {}

/// Made safe before it is masked: a colour code must not hide a key.
std::string Console::shown(std::string_view text) const { return masker_.mask(safe_text(text)); }

/// Masked before it is cut: half a key is no longer recognised as one. What is too long to be looked at
/// whole loses its last word, which may be such a half.
std::string Console::shown_line(std::string_view text, std::size_t code_points) const {
  const auto seen = utf8::prefix(text, code_points * kPerCodePoint);
  const auto last_word = seen.size() < text.size() ? seen.find_last_of(" \t\n") : seen.npos;
  return one_line(shown(seen.substr(0, last_word)), code_points);
}

void Console::print(const stream::Event& event, const Tag& tag, std::string_view text,
                    std::string_view stamp) {
  if (quiet()) return;
  const auto* const indent = event.parent.empty() ? "" : "  ";
  output_.out_styled(std::string(stamp) + tag.line(indent, text, options_.colour_out));
}

void Console::error(const stream::Event& event, std::string_view text) {
  static constexpr Tag kTag{"[Error]", kRed};
  const auto line = shown_line(text, kLong);
  if (line.empty() || line == last_error_) return;
  last_error_ = line;
  if (!options_.one_screen) print(event, kTag, line, stamp(options_.stamp_out));
  output_.err_styled(stamp(options_.stamp_err) + kTag.line("", line, options_.colour_err));
}

void Console::warning(const stream::Event& event, std::string_view text) {
  static constexpr Tag kTag{"[Warning]", kYellow};
  if (quiet()) return;
  const auto line = shown_line(text, kLong);
  if (verbose() && !options_.one_screen) print(event, kTag, line, stamp(options_.stamp_out));
  output_.err_styled(stamp(options_.stamp_err) + kTag.line("", line, options_.colour_err));
}

/// Why a run failed, without the error that was shown last; empty: that was all.
std::string Console::failure_text(const stream::RunResult& result) const {
  stream::MessageParts parts{result.headline, result.detail, result.addition, {}};
  if (options_.hints) parts.hint = result.hint;
  const bool repeated = !last_error_.empty() && shown_line(parts.detail, kLong) == last_error_;
  if (repeated) parts.detail = {};
  const bool adds = options_.hints && !(parts.addition.empty() && parts.hint.empty());
  return repeated && !adds ? std::string() : stream::join_message(parts);
}

void Console::on(const stream::Event& event, const stream::SessionStarted& session) {
  if (!verbose()) return;
  print(event, {"[Notice]", kDim, Reach::line},
        shown_line(fmt::format("session {}, model {}", session.session_id, session.model), kShort));
}

void Console::on(const stream::Event& event, const stream::Text& text) {
  if (text.delta || is_blank(text.text)) return;
  last_error_.clear();
  if (quiet() || (!event.parent.empty() && !verbose())) return;
  print(event, {options_.agent_name + ":", kGreen}, shown(text.text));
}

void Console::on(const stream::Event& event, const stream::Thinking& thinking) {
  if (!verbose() || thinking.delta || is_blank(thinking.text)) return;
  print(event, {"[Thinking]", kDim, Reach::line}, shown_line(thinking.text, kShort));
}

void Console::on(const stream::Event& event, const stream::ToolCall& call) {
  last_error_.clear();
  if (quiet()) return;
  auto text = shown_line(call.name, kShort);
  if (const auto detail = shown_line(call.detail, kShort); !detail.empty()) text += ": " + detail;
  print(event, {"[Tool]", kCyan}, text);
}

void Console::on(const stream::Event& event, const stream::ToolResult& result) {
  if (!verbose()) return;
  const auto text = shown_line(result.output, kShort);
  print(event, {"[Result]", result.ok == false ? kRed : kDim}, text.empty() ? "(no output)" : text);
}

void Console::on(const stream::Event& event, const stream::Retry& retry) {
  auto text = retry_text(retry);
  if (has_no_cause(retry) && !std::exchange(doctor_named_, true)) {
    text += fmt::format("; 'ralph doctor' checks the model API{}",
                        options_.endpoint.empty() ? "" : fmt::format(" ({})", options_.endpoint));
  }
  warning(event, text);
}

void Console::on(const stream::Event& event, const stream::Notice& notice) {
  if (notice.level == stream::Level::warning) return warning(event, notice.message);
  if (notice.level == stream::Level::debug || !verbose() || is_blank(notice.message)) return;
  print(event, {"[Notice]", kDim, Reach::line}, shown_line(notice.message, kShort));
}

void Console::on(const stream::Event& event, const stream::ErrorEvent& what) {
  error(event, what.message);
}

void Console::on(const stream::Event& event, const stream::TurnEnded& turn) {
  const bool at_cost_limit = turn.end == stream::TurnEndReason::cost_limit;
  const bool told_later = !options_.agent_budget && at_cost_limit;
  if (turn.is_error && !told_later) error(event, turn.error.empty() ? turn.reason : turn.error);
  if (!verbose()) return;
  print(event, {"[Usage]", kDim, Reach::line},
        usage_text(summary_.last_turn_usage(), summary_.context_percent()));
}

void Console::on(const stream::Event& event, const stream::RunResult& result) {
  if (result.skipped_lines > 0) warning(event, skipped_text(result));
  if (result.status != stream::Status::success) {
    error(event, failure_text(result));
  }
  if (result.degraded) warning(event, result.why);
  if (verbose()) output_.out(end_text(result));
}

void Console::on(const stream::Event& event, const stream::Unknown& unknown) {
  if (!verbose()) return;
  print(event, {"[Unknown]", kDim, Reach::line},
        unknown.type.empty() ? "no type" : shown_line(unknown.type, kShort));
}

}  // namespace ralph::console
