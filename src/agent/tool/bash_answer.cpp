#include "agent/tool/bash_answer.h"

#include <fmt/format.h>

#include "agent/tool/bash_heuristics.h"
#include "agent/tool/persisted_output.h"
#include "core/base/utf8.h"
#include "core/json/writer.h"

namespace ralph::tool {
namespace {

// As much as Claude Code shows; every later request pays for it.
constexpr std::size_t kFailedWhole = 11'000;
constexpr std::size_t kFailedCut = 9'950;  // plus the note between both ends
constexpr std::size_t kDetail = 30'000;

/// The `tool_use_result` of a successful call.
struct Detail {
  std::string out;
  std::string_view err;
  bool interrupted = false;
  bool no_output_expected = false;
  std::string_view meaning;
  std::string_view task;
  Millis timed_out{0};
  std::optional<BashOutput::Kept> kept;
};

std::string to_json(const Detail& detail) {
  std::string json;
  json::ObjectWriter object(json);
  object.text("stdout", detail.out)
      .text("stderr", detail.err)
      .boolean("interrupted", detail.interrupted)
      .boolean("isImage", false)
      .boolean("noOutputExpected", detail.no_output_expected);
  if (!detail.meaning.empty()) object.text("returnCodeInterpretation", detail.meaning);
  if (!detail.task.empty()) object.text("backgroundTaskId", detail.task);
  if (detail.timed_out.count() > 0) object.number("timedOutAfterMs", detail.timed_out.count());
  if (detail.kept) {
    object.text("persistedOutputPath", detail.kept->path.string())
        .number("persistedOutputSize", static_cast<std::int64_t>(detail.kept->size));
  }
  object.close();
  return json;
}

std::string json_text(std::string_view text) {
  std::string json;
  json::append_string(json, text);
  return json;
}

std::string join_lines(std::string_view first, std::string_view second) {
  if (first.empty() || second.empty()) return std::string(first.empty() ? second : first);
  return fmt::format("{}\n{}", first, second);
}

std::string size_text(std::uint64_t bytes) {
  const auto kilobytes = static_cast<double>(bytes) / 1024;
  if (kilobytes < 1) return fmt::format("{}B", bytes);
  return kilobytes < 1024 ? fmt::format("{:.1f}KB", kilobytes)
                          : fmt::format("{:.1f}MB", kilobytes / 1024);
}

/// Where a long output was saved, or why it was not.
std::string saved_note(const BashOutput& output) {
  const auto kept = output.kept();
  if (const auto error = output.error()) {
    return fmt::format("The full output could not be saved: {}.", describe(*error));
  }
  if (!kept) return "The command still runs.";
  if (kept->dropped == 0) {
    return fmt::format("Full output saved to: {}", kept->path.string());
  }
  return fmt::format("Beginning and end saved to: {} ({} bytes between them were dropped)",
                     kept->path.string(), kept->dropped);
}

/// Without an incomplete first line, unless that is more than half of the text.
std::string_view from_line_start(std::string_view text) {
  const auto end = text.find('\n');
  return end != text.npos && end < text.size() / 2 ? text.substr(end + 1) : text;
}

/// As long as Claude Code's preview (the first 2000 bytes), but half of it from the end, where builds and tests report
/// their result.
std::string preview(const BashOutput& output) {
  constexpr std::string_view kTitle = "Preview (first and last 1KB):";
  const auto first = output.beginning(kPreviewBytes);
  const auto size = whole_lines(first).size();
  const auto half = (size - std::min(size / 2, kTitle.size())) / 2;
  const auto last = output.end(half);
  return fmt::format(
      "<persisted-output>\nOutput too large ({}). {}\n\n{}\n{}\n...\n{}\n</persisted-output>",
      size_text(output.size()), saved_note(output), kTitle, whole_lines(utf8::prefix(first, half)),
      from_line_start(last));
}

/// For the model: the whole output, or its beginning and end.
std::string shown_output(const BashOutput& output) {
  const auto whole = output.whole();
  return whole ? *whole : preview(output);
}

/// The reason of a failure is mostly at the end, sometimes at the beginning.
std::string both_ends(const BashOutput& output) {
  const auto where = saved_note(output);
  const auto part = (kFailedCut - std::min(kFailedCut, where.size())) / 2;
  const auto first = output.beginning(part);
  const auto last = output.end(part);
  const auto left_out = output.size() - std::min(output.size(), first.size() + last.size());
  return fmt::format("{}\n\n... [{} bytes left out. {}] ...\n\n{}", first, left_out, where, last);
}

std::string shown_failed(BashOutput& output) {
  auto whole = output.whole();
  if (whole && utf8::count(*whole) <= kFailedWhole) return *std::move(whole);
  output.keep();
  return both_ends(output);
}

std::string shown_to_client(const BashOutput& output) {
  const auto whole = output.whole();
  return whole ? *whole : output.beginning(kDetail);
}

Outcome failed(std::string_view first_lines, BashCommand& command, std::string_view note) {
  return failure(join_lines(join_lines(first_lines, shown_failed(command.output())), note));
}

Outcome succeeded(BashCommand& command, std::string_view text, std::string_view meaning,
                  std::string_view note) {
  const BashOutput& output = command.output();
  auto content = join_lines(shown_output(output), note);
  if (content.empty()) content = "(Bash completed with no output)";
  const auto whole = output.whole();
  const auto note_line = note.empty() ? std::string() : fmt::format("\n{}", note);
  const Detail detail{.out = shown_to_client(output),
                      .err = note_line,
                      .no_output_expected = usually_silent(text),
                      .meaning = meaning,
                      .kept = whole ? std::nullopt : output.kept()};
  return {json_text(content), false, to_json(detail)};
}

std::string how_to_follow(const BackgroundTask& task) {
  return fmt::format(
      "Output is being written to: {}. You will be notified when it completes. To check interim "
      "output, use Read on that file path.",
      task.output_file.string());
}

}  // namespace

Outcome answer_ended(BashCommand& command, std::string_view text, std::string_view note) {
  const int code = command.exit_code();
  const auto meaning = code == 1 ? meaning_of_exit_1(text) : std::string_view{};
  if (code == 0 || !meaning.empty()) return succeeded(command, text, meaning, note);
  return failed(fmt::format("Exit code {}", code), command, note);
}

Outcome answer_timed_out(BashCommand& command, Millis timeout, std::string_view note) {
  const auto lines =
      fmt::format("Exit code 143\nCommand timed out after {}", format_duration(timeout));
  return failed(lines, command, note);
}

Outcome answer_interrupted(const BashOutput& output) {
  const auto whole = output.whole();
  const auto content = join_lines(whole ? *whole : both_ends(output),
                                  "Command was interrupted before it completed.");
  const Detail detail{.out = shown_to_client(output), .interrupted = true};
  return {json_text(content), true, to_json(detail)};
}

Outcome answer_background(const BackgroundTask& task, Millis longest) {
  const auto content = fmt::format(
      "Command running in background with ID: {}. {} It is stopped if it still runs after {}.",
      task.task_id, how_to_follow(task), format_duration(longest));
  const Detail detail{.task = task.task_id};
  return {json_text(content), false, to_json(detail), task.task_id};
}

Outcome answer_moved(BashCommand& command, const BackgroundTask& task, Millis timeout,
                     Millis longest) {
  const BashOutput& output = command.output();
  const auto text = fmt::format(
      "Command did not complete within its {} timeout and was moved to the background (ID: {}). {} "
      "It is still running: do not start it a second time. It is stopped if it still runs after {} "
      "in the background.",
      format_duration(timeout), task.task_id, how_to_follow(task), format_duration(longest));
  const Detail detail{.out = shown_to_client(output), .task = task.task_id, .timed_out = timeout};
  return {json_text(join_lines(shown_output(output), text)), false, to_json(detail), task.task_id};
}

}  // namespace ralph::tool
