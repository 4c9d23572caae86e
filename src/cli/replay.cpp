#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "cli/std_output.h"
#include "core/base/folder.h"
#include "core/base/mask.h"
#include "core/base/names.h"
#include "core/base/number.h"
#include "core/base/unique_fd.h"
#include "core/model/model.h"
#include "harness/backend/backend.h"
#include "harness/store/raw_index.h"
#include "harness/stream/decoder.h"
#include "harness/stream/outcome.h"
#include "harness/stream/summary.h"
#include "ui/console/console.h"
#include "ui/console/json_lines.h"

namespace ralph::cli {
namespace {

constexpr std::size_t kReadSize = std::size_t{128} << 10;
/// A longer line means a sparse file: no agent writes such lines.
constexpr std::size_t kLongestLine = std::size_t{256} << 20;
/// Bytes read to detect the kind of log.
constexpr std::size_t kLongestOpening = std::size_t{1} << 20;

/// Factor of the original speed; nullopt: no pauses.
using Speed = std::optional<double>;

Result<Speed> parse_speed(std::string_view text) {
  if (text == "max") return Speed{};
  const auto value = parse_number<double>(text);
  if (!value || !std::isfinite(*value) || *value <= 0) {
    return fail(Code::usage,
                fmt::format("--speed takes a number above 0 or 'max', not '{}'", text));
  }
  return value;
}

std::string source_name(const std::string& path) {
  return path == "-" ? "standard input" : fmt::format("'{}'", path);
}

bool is_in_ralph(const std::filesystem::path& path) {
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(path.parent_path(), error);
  const auto named = [](const auto& part) { return part == ".ralph"; };
  return std::ranges::any_of(path, named) || std::ranges::any_of(real, named);
}

Result<UniqueFd> open_plain_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto parent =
      std::filesystem::canonical(path.has_parent_path() ? path.parent_path() : ".", error);
  if (error) return fail_errno(error.value(), fmt::format("cannot open '{}'", path.native()));
  TRY_ASSIGN(const auto folder, Folder::open(parent));
  return folder.open_read(path.filename().native());
}

Result<UniqueFd> open_log(const std::string& path) {
  if (path == "-") return UniqueFd(::dup(0));
  struct stat info{};
  if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    return fail(Code::usage, fmt::format("'{}' is a directory, not a log", path),
                "pass one of the .ndjson files in it");
  }
  // Agents write into `.ralph`: links and FIFOs there are not opened.
  if (is_in_ralph(path)) return open_plain_file(path);
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return fail_errno(errno, "cannot open " + source_name(path));
  return fd;
}

/// Delays bytes until the time the index has for them.
class Pacer {
 public:
  Pacer(std::optional<store::Timeline> timeline, Speed speed) : speed_(speed) {
    if (!timeline) return;
    timeline_ = std::move(timeline);
    span_ = timeline_->next();
  }

  /// How many of the next `available` bytes arrived at the same time.
  std::size_t take(std::size_t available) {
    while (timeline_ && span_.end <= position_) span_ = timeline_->next();
    const auto bytes = std::min<std::uint64_t>(available, span_.end - position_);
    position_ += bytes;
    return static_cast<std::size_t>(bytes);
  }
  /// When they arrived, in milliseconds since the start of the run.
  std::int64_t t_ms() const { return span_.t.count() / 1000; }

  void wait(StdOutput& output) {
    if (!speed_ || !timeline_) return;
    const auto gap = span_.t - std::exchange(last_t_, span_.t);
    if (gap > kLongestGap && !std::exchange(shortened_, true)) {
      warn("pauses longer than one minute are shortened to one minute", output);
    }
    played_ += std::min<store::Micros>(gap, kLongestGap);
    const auto pause =
        std::chrono::duration<double, std::micro>(static_cast<double>(played_.count()) / *speed_);
    const auto due = begin_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                  std::min<std::chrono::duration<double>>(pause, kLongestPause));
    if (due <= std::chrono::steady_clock::now()) return;
    output.flush();
    std::this_thread::sleep_until(due);
  }

 private:
  static constexpr std::chrono::hours kLongestPause{24 * 3650};  // of a speed near 0
  /// The index is a file that an agent can write.
  static constexpr std::chrono::minutes kLongestGap{1};

  std::optional<store::Timeline> timeline_;
  Speed speed_;
  store::TimedSpan span_;
  std::uint64_t position_ = 0;
  store::Micros last_t_{0}, played_{0};  // in the log; with long pauses shortened
  bool shortened_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

Pacer make_pacer(const std::string& path, Speed speed, StdOutput& output) {
  std::optional<store::Timeline> timeline;
  if (path != "-") {
    if (auto index = store::IndexReader::open(store::index_path_of(path))) {
      timeline.emplace(std::move(*index));
    }
  }
  if (speed && !timeline) {
    warn(fmt::format("{} has no timing index; playing without pauses", source_name(path)), output);
  }
  return {std::move(timeline), speed};
}

/// Reads some bytes, blocking until there are any; 0 at the end, which a terminal reports as EIO.
Result<std::size_t> read_some(int fd, std::string& piece, const std::string& path) {
  for (;;) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    const int error_number = errno;
    if (error_number == EIO && ::isatty(fd) == 1) return 0;
    if (error_number == EAGAIN) {
      pollfd ready{fd, POLLIN, 0};
      ::poll(&ready, 1, -1);
    } else if (error_number != EINTR) {
      return fail_errno(error_number, "cannot read " + source_name(path));
    }
  }
}

/// What a log begins with, and what kind of log it is.
struct Opening {
  std::string bytes;
  bool is_text = false;  // of an agent that prints plain text
};

/// As the run noted it in the index of the log.
store::LogFormat recorded_format(const std::string& path) {
  if (path == "-") return store::LogFormat::unknown;
  const auto index = store::IndexReader::open(store::index_path_of(path));
  return index ? index->format() : store::LogFormat::unknown;
}

/// Where the format was not recorded: every line of stream-json has a "type". Reads until one is found; a log without one
/// is text, unless it is binary.
Result<Opening> read_opening(const UniqueFd& fd, const std::string& path, store::LogFormat format) {
  constexpr std::string_view kType = "\"type\"";
  Opening opening;
  std::string piece(kReadSize, '\0');
  std::size_t looked_at = 0;
  while (opening.bytes.size() < kLongestOpening) {
    const auto got = read_some(fd.get(), piece, path);
    if (!got && opening.bytes.empty()) return std::unexpected(got.error());
    if (!got || *got == 0) break;
    opening.bytes.append(piece, 0, *got);
    opening.is_text = format == store::LogFormat::text;
    if (format != store::LogFormat::unknown) return opening;
    if (opening.bytes.find(kType, looked_at) != std::string::npos) return opening;
    looked_at = opening.bytes.size() - std::min(opening.bytes.size(), kType.size());
  }
  opening.is_text = !opening.bytes.empty() && opening.bytes.find('\0') == std::string::npos;
  return opening;
}

/// Feeds the whole log to the decoder in bounded memory: the opening, then the rest. Stops when stdout is closed. Bytes
/// read before an error have been decoded.
class Feeder {
 public:
  Feeder(const std::string& path, Pacer& pacer, stream::Decoder& decoder, StdOutput& output)
      : path_(path), pacer_(pacer), decoder_(decoder), output_(output) {}

  Result<> feed(const UniqueFd& fd, std::string_view opening) {
    auto fed = take(opening);
    std::string piece(kReadSize, '\0');
    while (fed && !output_.closed()) {
      const auto got = read_some(fd.get(), piece, path_);
      if (!got) fed = std::unexpected(got.error());
      if (!got || *got == 0) break;
      fed = take(std::string_view(piece.data(), *got));
    }
    return fed;
  }

 private:
  Result<> take(std::string_view bytes) {
    const auto end = bytes.rfind('\n');
    line_ = end == bytes.npos ? line_ + bytes.size() : bytes.size() - end - 1;
    if (line_ > kLongestLine) {
      return fail(
          Code::malformed,
          fmt::format("{} has a line of more than {} bytes", source_name(path_), kLongestLine),
          "it is probably not a log, or a sparse file");
    }
    while (!bytes.empty()) {
      const auto together = pacer_.take(bytes.size());
      pacer_.wait(output_);
      decoder_.feed(bytes.substr(0, together), pacer_.t_ms());
      bytes.remove_prefix(together);
    }
    output_.flush();
    return {};
  }

  const std::string& path_;
  Pacer& pacer_;
  stream::Decoder& decoder_;
  StdOutput& output_;
  std::size_t line_ = 0;  // bytes of the unfinished line
};

/// The result of the recorded run, classified without the exit status, which is not recorded.
void publish_result(const stream::Summary& summary, std::int64_t t_ms, stream::Decoder& decoder) {
  stream::ProcessEnd end;
  end.skipped_lines = decoder.skipped();
  auto verdict = stream::classify(summary, end);
  if (verdict.outcome == stream::Outcome::no_result) {
    verdict.headline = "the log ends without a result";
    verdict.hint = "the agent was stopped, or ended early";
  }
  const auto texts = stream::result_texts(summary, verdict);
  decoder.publish(stream::make_result(summary, end, verdict, texts), t_ms);
}

Error no_event(const std::string& path, std::int64_t skipped, bool empty) {
  if (empty) {
    return {Code::malformed,
            fmt::format("{} is empty: the agent printed nothing", source_name(path)),
            {}};
  }
  const auto lines =
      skipped == 0 ? std::string() : fmt::format(" ({})", counted(skipped, "unreadable line"));
  return {Code::malformed,
          fmt::format("no event found in {}{}: is it a stream-json log?", source_name(path), lines),
          {}};
}

/// The backend of a log, by its path logs/BACKEND/FILE. nullptr: unknown.
const backend::Backend* backend_of(const std::filesystem::path& path) {
  std::error_code error;
  const auto folder = std::filesystem::absolute(path, error).parent_path();
  return folder.parent_path().filename() == "logs"
             ? backend::find_backend(folder.filename().native())
             : nullptr;
}

std::unique_ptr<stream::Dialect> dialect_of(const std::string& path, bool is_text) {
  if (is_text) return stream::make_text_dialect("custom", "Agent");
  const auto* backend = backend_of(path);
  const bool known = backend != nullptr && backend->output == backend::Output::stream_json;
  const auto& speaks = known ? *backend : backend::default_backend();
  return speaks.make_dialect(std::string(speaks.display_name));
}

std::string recorded_agent(const std::string& path, const stream::Dialect& dialect) {
  const auto* backend = backend_of(path);
  const bool named = backend != nullptr && !backend->display_name.empty();
  return std::string(named ? backend->display_name : dialect.display_name());
}

int replay(const Arguments& arguments, StdOutput& output) {
  const std::string path(arguments.positional(0));
  const auto speed = parse_speed(arguments.value("speed", "max"));
  if (!speed) return report_usage(speed.error(), &kReplayCommand, output);
  const auto fd = open_log(path);
  if (!fd) return report({Code::usage, fd.error().message, fd.error().hint}, output);

  const auto opening = read_opening(*fd, path, recorded_format(path));
  if (!opening) return report(opening.error(), output);
  auto dialect = dialect_of(path, opening->is_text);
  auto options = console_options({arguments.flag("quiet"), arguments.flag("verbose")});
  options.agent_name = recorded_agent(path, *dialect);
  const bool json = arguments.flag("json");
  if (json) options.verbosity = console::Verbosity::quiet;

  const Masker masker(environment());
  stream::Summary summary(model::Table::builtin());
  console::Console console(options, masker, summary, output);
  console::JsonLines json_lines(masker, output);
  std::vector<stream::Handler*> handlers{&summary, &console};
  if (json) handlers.push_back(&json_lines);
  stream::Decoder decoder(std::move(dialect), std::move(handlers), "replay");

  auto pacer = make_pacer(path, *speed, output);
  const auto done = Feeder(path, pacer, decoder, output).feed(*fd, opening->bytes);
  // The log has no exit status; the end of a text log counts as success.
  const auto exit_code = opening->is_text ? std::optional(0) : std::nullopt;
  decoder.finish(pacer.t_ms(), exit_code);
  if (output.closed()) return 0;
  if (!done && !summary.any_event()) return report(done.error(), output);
  if (!summary.any_event())
    return report(no_event(path, decoder.skipped(), opening->bytes.empty()), output);
  publish_result(summary, pacer.t_ms(), decoder);
  return done ? 0 : report(done.error(), output);
}

constexpr Positional kReplayPositionals[] = {
    {"FILE",
     "a raw log (.ndjson, or plain text), or a terminal capture of one; '-': standard input"},
};
constexpr Option kReplayOptions[] = {
    {"--speed", "N|max", "play at N times the original speed; max: no pauses (default)"},
    {"-v,--verbose", "", "also show thinking, tool results, usage and the end summary"},
    {"-q,--quiet", "", "show errors only, on stderr"},
    {"--json", "", "print every event as a line of JSON, text in whole blocks"},
};
constexpr Example kReplayExamples[] = {
    {"ralph replay session.ndjson", "show what the agent said and did, without pauses"},
    {"ralph replay session.ndjson --speed 1 -v", "at the original speed, with all details"},
    {"ralph replay session.ndjson --json | jq -r 'select(.type == \"tool_call\") | .detail'",
     "list its tool calls, for a script"},
    {"claude -p 'Hello' --output-format stream-json --verbose | ralph replay -",
     "show a live stream"},
};

}  // namespace

constinit const Command kReplayCommand{
    "replay",
    "show a recorded session again",
    "Shows a session again from the raw log of the agent's output.\n"
    "The exit code is 0 if the log could be shown, regardless of how the session ended.",
    kReplayPositionals,
    kReplayOptions,
    kReplayExamples,
    replay,
};

}  // namespace ralph::cli
