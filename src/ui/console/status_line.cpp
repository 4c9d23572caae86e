#include "ui/console/status_line.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/base/utf8.h"
#include "ui/console/columns.h"
#include "ui/console/figures.h"
#include "ui/console/safe_text.h"
#include "ui/console/style.h"

namespace ralph::console {
namespace {

constexpr std::size_t kFreeColumns = 5;  // two times "^C", and the last one
constexpr Millis kBetweenDraws{100};
constexpr Millis kForTheTime{1000};
constexpr std::size_t kUsualWidth = 80;
constexpr std::size_t kLongestTool = 300;  // code points of a tool's text
constexpr std::size_t kMostBytes = 8'000;  // of a text that is looked at

}  // namespace

StatusLine::StatusLine(Options options, const Masker& masker, Output& output)
    : options_(std::move(options)),
      masker_(masker),
      output_(output),
      activity_([this](std::string_view text) { return shown(text); }) {}

void StatusLine::out(std::string_view text) { pass_on(Target::out, &Output::out, text); }
void StatusLine::out_styled(std::string_view text) {
  pass_on(Target::out, &Output::out_styled, text);
}
void StatusLine::err(std::string_view text) { pass_on(Target::err, &Output::err, text); }
void StatusLine::err_styled(std::string_view text) {
  pass_on(Target::err, &Output::err_styled, text);
}

void StatusLine::pass_on(Target target, void (Output::*how)(std::string_view),
                         std::string_view text) {
  const std::lock_guard hold(mutex_);
  if (text.empty()) return;
  erase();
  (output_.*how)(text);
  if (target == Target::out) at_line_start_ = text.ends_with('\n');
}

void StatusLine::flush() {
  const std::lock_guard hold(mutex_);
  draw_if_due();
  options_.flush();
}

void StatusLine::tick() {
  const std::lock_guard hold(mutex_);
  if (!shown_ || !options_.terminal) return;
  if (options_.now() - last_draw_ >= kForTheTime) changed_ = true;
  draw_if_due();
  options_.flush();
}

void StatusLine::show(Millis before) {
  const std::lock_guard hold(mutex_);
  before_ = before;
  began_ = options_.now();
  last_draw_ = began_ - kBetweenDraws;
  shown_ = changed_ = true;
}

void StatusLine::end() {
  const std::lock_guard hold(mutex_);
  erase();
  shown_ = false;
  options_.flush();
}

void StatusLine::iteration(std::int64_t n, std::int64_t max) {
  const std::lock_guard hold(mutex_);
  iteration_ = n;
  max_iterations_ = max;
  changed_ = true;
}

void StatusLine::cost(std::optional<double> so_far, std::optional<double> max) {
  const std::lock_guard hold(mutex_);
  cost_ = so_far;
  max_cost_ = max;
  cost_of_run_.reset();
  changed_ = true;
}

void StatusLine::doing(std::string_view what) {
  const std::lock_guard hold(mutex_);
  doing_ = shown(what);
  changed_ = true;
}

void StatusLine::watch(const stream::Summary& summary) {
  const std::lock_guard hold(mutex_);
  summary_ = &summary;
  activity_.clear();
  doing_.clear();
  context_.reset();
  if (cost_of_run_) cost_ = cost_.value_or(0) + *cost_of_run_;
  cost_of_run_.reset();
  changed_ = true;
}

std::optional<int> StatusLine::context_percent() const {
  const std::lock_guard hold(mutex_);
  return context_;
}

/// Made safe before it is masked, and masked before it is cut, as on the console.
std::string StatusLine::shown(std::string_view text) const {
  const auto seen = utf8::prefix(text, kMostBytes);
  const auto last_word = seen.size() < text.size() ? seen.find_last_of(" \t\n") : seen.npos;
  return one_line(masker_.mask(safe_text(seen.substr(0, last_word))), kLongestTool);
}

std::string StatusLine::text(SteadyTime now) const {
  std::string line = iteration_ > 0 ? fmt::format("iteration {}", iteration_) : "loop";
  if (iteration_ > 0 && max_iterations_ > 0) line += fmt::format("/{}", max_iterations_);
  const auto elapsed = before_ + std::chrono::duration_cast<Millis>(now - began_);
  line += " | " + short_duration(elapsed);
  const bool known = cost_ || cost_of_run_;
  line += " | " + (known ? dollars(cost_.value_or(0) + cost_of_run_.value_or(0)) : "cost unknown");
  if (max_cost_) line += " of " + dollars(*max_cost_);
  if (!doing_.empty()) return line + " | " + doing_;
  if (context_) line += fmt::format(" | context {}%", *context_);
  const auto now_doing = activity_.now();
  line += " | ";
  return line.append(now_doing.kind == Activity::Kind::model ? "thinking" : now_doing.text);
}

void StatusLine::erase() {
  if (!drawn_) return;
  output_.out_styled(kEraseLine);
  drawn_ = false;
  changed_ = true;
}

/// The last columns stay free for the "^C" that a terminal echoes at each Ctrl-C: where it does not fit, the line is
/// continued below, and only that part is erased.
void StatusLine::draw(SteadyTime now) {
  const auto known = options_.width ? options_.width() : 0;
  const auto width = known == 0 ? kUsualWidth : known;
  const auto most = width > kFreeColumns ? width - kFreeColumns : width - 1;
  const auto line = cut_to_columns(text(now), most);
  output_.out_styled(fmt::format("{}{}{}{}", drawn_ ? kEraseLine : "", options_.colour ? kDim : "",
                                 line, options_.colour ? kReset : ""));
  drawn_ = true;
  changed_ = false;
  last_draw_ = now;
}

void StatusLine::draw_if_due() {
  if (!shown_ || !options_.terminal || !changed_ || !at_line_start_) return;
  const auto now = options_.now();
  if (now - last_draw_ >= kBetweenDraws) draw(now);
}

void StatusLine::on_any(const stream::Event& event) {
  const std::lock_guard hold(mutex_);
  stream::dispatch(event, activity_);
  changed_ = changed_ || !is_delta(event.what);
}

void StatusLine::on(const stream::Event&, const stream::Usage&) {
  const std::lock_guard hold(mutex_);
  count();
}

void StatusLine::on(const stream::Event&, const stream::TurnEnded&) {
  const std::lock_guard hold(mutex_);
  count();
}

void StatusLine::count() {
  if (summary_ == nullptr) return;
  context_ = summary_->context_percent();
  cost_of_run_ = summary_->cost_usd();
  changed_ = true;
}

}  // namespace ralph::console
