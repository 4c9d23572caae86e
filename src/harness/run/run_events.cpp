#include "harness/run/run_events.h"

#include "core/base/utf8.h"

namespace ralph::run {

RunEvents::RunEvents(const Request& request, const backend::Plan& plan, store::Journal& journal,
                     const RunObservers& observers, SteadyTime began)
    : request_(request),
      plan_(plan),
      journal_(journal),
      observers_(observers),
      began_(began),
      own_(make_decoder(nullptr)) {}

std::unique_ptr<stream::Decoder> RunEvents::make_decoder(stream::Handler* watchdog) const {
  std::vector<stream::Handler*> handlers{&observers_.summary, &journal_};
  handlers.insert(handlers.end(), observers_.handlers.begin(), observers_.handlers.end());
  if (watchdog != nullptr) handlers.push_back(watchdog);
  return std::make_unique<stream::Decoder>(plan_.make_dialect(), std::move(handlers),
                                           request_.run_id, request_.max_line);
}

void RunEvents::notice(stream::Level level, std::string_view topic, std::string_view message) {
  const auto text = utf8::repaired(message);
  own_->publish(stream::Notice{level, topic, text, {}}, elapsed().count());
}

void RunEvents::publish_warnings(const std::vector<std::string>& warnings) {
  for (const auto& warning : warnings) notice(stream::Level::warning, "run", warning);
  const auto level = request_.warnings_shown ? stream::Level::info : stream::Level::warning;
  for (const auto& warning : plan_.warnings) notice(level, "run", warning);
  for (const auto& note : request_.notes) notice(stream::Level::info, "run", note);
  for (const auto& note : plan_.notes) notice(stream::Level::info, "run", note);
}

void RunEvents::publish(const stream::RunResult& result) {
  own_->publish(result, elapsed().count());
  flush();
}

stream::Decoder& RunEvents::begin_attempt(stream::Handler& watchdog) {
  attempt_ = make_decoder(&watchdog);
  attempt_->count_from(own_->seq());
  return *attempt_;
}

void RunEvents::end_attempt() {
  own_->count_from(attempt_->seq());
  attempt_.reset();
}

Millis RunEvents::elapsed() const { return since(began_); }

}  // namespace ralph::run
