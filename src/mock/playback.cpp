#include "mock/performance.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "core/json/writer.h"

namespace ralph::mock {
namespace {

using http::Exchange;
using http::Peer;

constexpr std::size_t kBatch = std::size_t{32} << 10;
constexpr Millis kLongWait{3'600'000};

/// Behind those of the same position: they happen in the order of the scenario.
void add_moment(Performance& performance, std::size_t position, Incident incident) {
  auto& moments = performance.moments;
  const auto behind = std::ranges::upper_bound(moments, position, {}, &Moment::position);
  moments.insert(behind, {position, std::move(incident)});
}

/// The place as a position, where `middle` stands for what only streams know.
std::size_t position_in_whole(Place place, std::size_t middle, std::size_t end) {
  switch (place) {
    case Place::before_headers: return 0;
    case Place::in_headers: return Performance::kInHead;
    case Place::after_headers: return Performance::kBodyStart;
    case Place::after_message_stop: return end;
    default: return middle;
  }
}

// --- where things happen in a stream ---

/// Places of a stream as numbers of events that came before.
class Score {
 public:
  explicit Score(const std::vector<Event>& events) : events_(events) {}

  std::size_t events_before(const Trouble& trouble) const {
    switch (trouble.place) {
      case Place::after_events: return std::min(trouble.events, events_.size());
      case Place::in_event: return cut_event() + 1;  // behind its first half
      case Place::in_block: return last("content_block_stop", message_end());
      case Place::after_blocks: return message_end();
      case Place::before_message_stop: return events_.size() - 1;
      case Place::after_message_stop: return events_.size();
      default: return 0;
    }
  }
  /// The event `in_event` is about: the last delta, or what comes closest.
  std::size_t cut_event() const { return last("content_block_delta", 0); }

 private:
  /// message_delta and message_stop are always there.
  std::size_t message_end() const { return events_.size() - 2; }
  std::size_t last(std::string_view name, std::size_t otherwise) const {
    for (auto n = events_.size(); n > 0; --n) {
      if (events_[n - 1].name == name) return n - 1;
    }
    return otherwise;
  }

  const std::vector<Event>& events_;
};

bool cuts_an_event(const std::vector<Trouble>& troubles) {
  return std::ranges::find(troubles, Place::in_event, &Trouble::place) != troubles.end();
}

void add_pieces(Performance& performance, const std::vector<Event>& events, const Reply& reply,
                std::optional<std::size_t> cut) {
  performance.pieces.reserve(events.size() + 1);
  for (std::size_t n = 0; n < events.size(); ++n) {
    const bool slow = events[n].name == "content_block_delta";
    auto bytes = event_bytes(events[n], reply.line_end);
    std::string rest;
    if (n == cut) {
      rest = bytes.substr(bytes.size() / 2);
      bytes.resize(bytes.size() / 2);
    }
    performance.pieces.push_back({std::move(bytes), slow ? reply.chunk_delay : Millis{0}});
    if (n == cut) performance.pieces.push_back({std::move(rest)});
  }
}

std::string bytes_of(const ErrorEvent& error, LineEnd line_end) {
  std::string inner;
  json::ObjectWriter(inner).text("type", error.type).text("message", error.message).close();
  return event_bytes({"error", fmt::format(R"({{"type":"error","error":{}}})", inner)}, line_end);
}

// --- on the stage ---

class Player {
 public:
  Player(const Performance& performance, const http::Request& request, Exchange& exchange)
      : performance_(performance), request_(request), exchange_(exchange) {}

  void run() {
    if (!play_head()) return;
    const auto& pieces = performance_.pieces;
    for (std::size_t n = 0; n < pieces.size(); ++n) {
      if (!happen(Performance::kBodyStart + n) || !wait(pieces[n].pause)) return;
      if (!say(pieces[n].bytes)) return;
    }
    if (happen(Performance::kBodyStart + pieces.size())) finish();
  }

 private:
  bool streams() const { return performance_.framing == Performance::Framing::stream; }

  /// The head byte by byte, as Exchange itself cannot stop in the middle of one.
  std::string head_bytes() const {
    auto headers = performance_.headers;
    if (!streams()) {
      std::size_t size = 0;
      for (const auto& piece : performance_.pieces) size += piece.bytes.size();
      headers.add("content-length", fmt::format("{}", size));
    } else if (request_.version == http::Version::http_1_1) {
      headers.add("transfer-encoding", "chunked");
    }
    headers.add("connection", "close");
    return http::head_bytes(performance_.status, headers);
  }

  bool play_head() {
    const auto& moments = performance_.moments;
    const bool calm = moments.empty() || moments.front().position > Performance::kInHead;
    if (calm && streams()) {
      return exchange_.begin(performance_.status, performance_.headers) == Peer::there;
    }
    const auto head = head_bytes();
    const auto half = head.size() / 2;
    return happen(0) && exchange_.send_raw(head.substr(0, half)) == Peer::there &&
           happen(Performance::kInHead) && exchange_.send_raw(head.substr(half)) == Peer::there;
  }

  bool say(std::string_view bytes) {
    pending_ += bytes;
    return pending_.size() < kBatch || flush();
  }
  bool flush() {
    if (pending_.empty()) return true;
    const auto peer = streams() ? exchange_.send(pending_) : exchange_.send_raw(pending_);
    pending_.clear();
    return peer == Peer::there;
  }
  bool wait(Millis duration) {
    if (duration <= Millis{0}) return true;
    return flush() && exchange_.wait(duration) == Peer::there;
  }
  void finish() {
    if (flush() && streams()) exchange_.end();
  }

  /// All that happens there; false: it was the end.
  bool happen(std::size_t position) {
    for (; next_ < performance_.moments.size(); ++next_) {
      const auto& moment = performance_.moments[next_];
      if (moment.position != position) return true;
      if (!std::visit([this](const auto& what) { return on(what); }, moment.incident)) return false;
    }
    return true;
  }
  bool on(const Pause& pause) { return wait(pause.duration); }
  bool on(const Bytes& bytes) {
    return said_head() ? say(bytes.bytes) : exchange_.send_raw(bytes.bytes) == Peer::there;
  }
  bool on(const ErrorEvent&) { return false; }  // a whole answer has none, a stream has its bytes
  bool on(Cut cut) {
    if (!flush()) return false;
    if (cut == Cut::silence) {
      while (exchange_.wait(kLongWait) == Peer::there) {
      }
    } else if (cut == Cut::reset) {
      exchange_.reset();
    } else if (cut == Cut::end && streams() && said_head()) {
      exchange_.end();
    } else {
      exchange_.close();
    }
    return false;
  }
  bool said_head() const { return performance_.moments[next_].position >= Performance::kBodyStart; }

  const Performance& performance_;
  const http::Request& request_;
  Exchange& exchange_;
  std::size_t next_ = 0;  // of the moments
  std::string pending_;
};

}  // namespace

Performance performance_of(http::Response response, const std::vector<Trouble>& troubles) {
  Performance performance{
      response.status, std::move(response.headers), Performance::Framing::whole, {}, {}};
  const auto half = response.body.size() / 2;
  performance.pieces = {{response.body.substr(0, half)}, {response.body.substr(half)}};
  const auto end = Performance::kBodyStart + performance.pieces.size();
  for (const auto& trouble : troubles) {
    add_moment(performance, position_in_whole(trouble.place, end - 1, end), trouble.incident);
  }
  return performance;
}

Performance performance_of(const std::vector<Event>& events, const Reply& reply,
                           const std::vector<Trouble>& troubles) {
  Performance performance;
  performance.framing = Performance::Framing::stream;
  const Score score(events);
  const auto cut = cuts_an_event(troubles) ? std::optional(score.cut_event()) : std::nullopt;
  add_pieces(performance, events, reply, cut);
  for (const auto& trouble : troubles) {
    const auto before = score.events_before(trouble);
    const bool behind_the_cut = cut && before > *cut && trouble.place != Place::in_event;
    const auto in_body = Performance::kBodyStart + before + (behind_the_cut ? 1 : 0);
    const auto position = position_in_whole(trouble.place, in_body, in_body);
    const auto* const error = std::get_if<ErrorEvent>(&trouble.incident);
    if (error == nullptr) {
      add_moment(performance, position, trouble.incident);
    } else {
      add_moment(performance, position, Bytes{bytes_of(*error, reply.line_end)});
      add_moment(performance, position, Cut::end);
    }
  }
  return performance;
}

void perform(const Performance& performance, const http::Request& request, Exchange& exchange) {
  if (performance.framing == Performance::Framing::whole && performance.moments.empty()) {
    std::string body;
    for (const auto& piece : performance.pieces) body += piece.bytes;
    exchange.respond({performance.status, performance.headers, std::move(body)});
    return;
  }
  Player(performance, request, exchange).run();
}

}  // namespace ralph::mock
