#include "mock/playback.h"

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

/// Inserts after moments of the same position, which keeps the order of the scenario.
void add_moment(Playback& playback, std::size_t position, Incident incident) {
  auto& moments = playback.moments;
  const auto behind = std::ranges::upper_bound(moments, position, {}, &Moment::position);
  moments.insert(behind, {position, std::move(incident)});
}

/// The position of a place; `middle` for places that only streams have.
std::size_t position_in_whole(Place place, std::size_t middle, std::size_t end) {
  switch (place) {
    case Place::before_headers: return 0;
    case Place::in_headers: return Playback::kInHead;
    case Place::after_headers: return Playback::kBodyStart;
    case Place::after_message_stop: return end;
    default: return middle;
  }
}

// --- where things happen in a stream ---

/// Places of a stream as numbers of events that came before.
class EventPositions {
 public:
  explicit EventPositions(const std::vector<Event>& events) : events_(events) {}

  std::size_t events_before(const Trouble& trouble) const {
    switch (trouble.place) {
      case Place::after_events: return std::min(trouble.events, events_.size());
      case Place::in_event: return cut_event() + 1;  // after its first half
      case Place::in_block: return last("content_block_stop", message_end());
      case Place::after_blocks: return message_end();
      case Place::before_message_stop: return events_.size() - 1;
      case Place::after_message_stop: return events_.size();
      default: return 0;
    }
  }
  /// The event that `in_event` cuts: the last delta, otherwise the first event.
  std::size_t cut_event() const { return last("content_block_delta", 0); }

 private:
  /// Every stream ends with message_delta and message_stop.
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

void add_pieces(Playback& playback, const std::vector<Event>& events, const Reply& reply,
                std::optional<std::size_t> cut) {
  playback.pieces.reserve(events.size() + 1);
  for (std::size_t n = 0; n < events.size(); ++n) {
    const bool slow = events[n].name == "content_block_delta";
    auto bytes = event_bytes(events[n], reply.line_end);
    std::string rest;
    if (n == cut) {
      rest = bytes.substr(bytes.size() / 2);
      bytes.resize(bytes.size() / 2);
    }
    playback.pieces.push_back({std::move(bytes), slow ? reply.chunk_delay : Millis{0}});
    if (n == cut) playback.pieces.push_back({std::move(rest)});
  }
}

std::string error_event_bytes(const ErrorEvent& error, LineEnd line_end) {
  std::string inner;
  json::ObjectWriter(inner).text("type", error.type).text("message", error.message).close();
  return event_bytes({"error", fmt::format(R"({{"type":"error","error":{}}})", inner)}, line_end);
}

// --- sending ---

class Player {
 public:
  Player(const Playback& playback, const http::Request& request, Exchange& exchange)
      : playback_(playback), request_(request), exchange_(exchange) {}

  void run() {
    if (!play_head()) return;
    const auto& pieces = playback_.pieces;
    for (std::size_t n = 0; n < pieces.size(); ++n) {
      if (!play_moments(Playback::kBodyStart + n) || !wait(pieces[n].pause)) return;
      if (!send(pieces[n].bytes)) return;
    }
    if (play_moments(Playback::kBodyStart + pieces.size())) finish();
  }

 private:
  bool streams() const { return playback_.framing == Playback::Framing::stream; }

  /// The head as bytes, because Exchange cannot stop inside a head.
  std::string head_bytes() const {
    auto headers = playback_.headers;
    if (!streams()) {
      std::size_t size = 0;
      for (const auto& piece : playback_.pieces) size += piece.bytes.size();
      headers.add("content-length", fmt::format("{}", size));
    } else if (request_.version == http::Version::http_1_1) {
      headers.add("transfer-encoding", "chunked");
    }
    headers.add("connection", "close");
    return http::head_bytes(playback_.status, headers);
  }

  bool play_head() {
    const auto& moments = playback_.moments;
    const bool calm = moments.empty() || moments.front().position > Playback::kInHead;
    if (calm && streams()) {
      return exchange_.begin(playback_.status, playback_.headers) == Peer::there;
    }
    const auto head = head_bytes();
    const auto half = head.size() / 2;
    return play_moments(0) && exchange_.send_raw(head.substr(0, half)) == Peer::there &&
           play_moments(Playback::kInHead) && exchange_.send_raw(head.substr(half)) == Peer::there;
  }

  bool send(std::string_view bytes) {
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

  /// Plays the incidents at the position; false: the answer has ended.
  bool play_moments(std::size_t position) {
    for (; next_ < playback_.moments.size(); ++next_) {
      const auto& moment = playback_.moments[next_];
      if (moment.position != position) return true;
      if (!std::visit([this](const auto& what) { return on(what); }, moment.incident)) return false;
    }
    return true;
  }
  bool on(const Pause& pause) { return wait(pause.duration); }
  bool on(const Bytes& bytes) {
    return head_sent() ? send(bytes.bytes) : exchange_.send_raw(bytes.bytes) == Peer::there;
  }
  bool on(const ErrorEvent&) { return false; }  // playback_of() has replaced it by bytes
  bool on(Cut cut) {
    if (!flush()) return false;
    if (cut == Cut::silence) {
      while (exchange_.wait(kLongWait) == Peer::there) {
      }
    } else if (cut == Cut::reset) {
      exchange_.reset();
    } else if (cut == Cut::end && streams() && head_sent()) {
      exchange_.end();
    } else {
      exchange_.close();
    }
    return false;
  }
  bool head_sent() const { return playback_.moments[next_].position >= Playback::kBodyStart; }

  const Playback& playback_;
  const http::Request& request_;
  Exchange& exchange_;
  std::size_t next_ = 0;  // of the moments
  std::string pending_;
};

}  // namespace

Playback playback_of(http::Response response, const std::vector<Trouble>& troubles) {
  Playback playback{response.status, std::move(response.headers), Playback::Framing::whole, {}, {}};
  const auto half = response.body.size() / 2;
  playback.pieces = {{response.body.substr(0, half)}, {response.body.substr(half)}};
  const auto end = Playback::kBodyStart + playback.pieces.size();
  for (const auto& trouble : troubles) {
    add_moment(playback, position_in_whole(trouble.place, end - 1, end), trouble.incident);
  }
  return playback;
}

Playback playback_of(const std::vector<Event>& events, const Reply& reply,
                     const std::vector<Trouble>& troubles) {
  Playback playback;
  playback.framing = Playback::Framing::stream;
  const EventPositions positions(events);
  const auto cut = cuts_an_event(troubles) ? std::optional(positions.cut_event()) : std::nullopt;
  add_pieces(playback, events, reply, cut);
  for (const auto& trouble : troubles) {
    const auto before = positions.events_before(trouble);
    const bool behind_the_cut = cut && before > *cut && trouble.place != Place::in_event;
    const auto in_body = Playback::kBodyStart + before + (behind_the_cut ? 1 : 0);
    const auto position = position_in_whole(trouble.place, in_body, in_body);
    const auto* const error = std::get_if<ErrorEvent>(&trouble.incident);
    if (error == nullptr) {
      add_moment(playback, position, trouble.incident);
    } else {
      add_moment(playback, position, Bytes{error_event_bytes(*error, reply.line_end)});
      add_moment(playback, position, Cut::end);
    }
  }
  return playback;
}

void play(const Playback& playback, const http::Request& request, Exchange& exchange) {
  if (playback.framing == Playback::Framing::whole && playback.moments.empty()) {
    std::string body;
    for (const auto& piece : playback.pieces) body += piece.bytes;
    exchange.respond({playback.status, playback.headers, std::move(body)});
    return;
  }
  Player(playback, request, exchange).run();
}

}  // namespace ralph::mock
