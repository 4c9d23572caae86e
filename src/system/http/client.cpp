#include "system/http/client.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "system/http/curl_library_impl.h"
#include "system/http/transfer_impl.h"

namespace ralph::http {
namespace {

using std::chrono::steady_clock;

constexpr Millis kLongestPoll{3'600'000};

SteadyTime end_of(const ClientRequest& request) {
  const bool limited = request.total_timeout > Millis{0};
  return limited ? steady_clock::now() + request.total_timeout : SteadyTime::max();
}

bool may_be_redirected(const ClientRequest& request) {
  return request.body.empty() && (request.method == "GET" || request.method == "HEAD");
}

}  // namespace

/// The connections, and the one handle that all requests of a client use in turn.
class Client::Pool {
 public:
  explicit Pool(const CurlLibrary& curl)
      : curl_(curl), multi_(curl.multi_init()), easy_(curl.easy_init()) {}
  ~Pool() {
    curl_.easy_cleanup(easy_);
    curl_.multi_cleanup(multi_);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  bool usable() const { return multi_ != nullptr && easy_ != nullptr; }

  Sent send(const ClientOptions& options, const ClientRequest& request, const ResponseSink& sink,
            const std::stop_token& stop) {
    const auto end = end_of(request);
    int hops = may_be_redirected(request) ? request.max_redirects : 0;
    ClientRequest followed;
    const auto* current = &request;
    for (;; --hops) {
      Transfer transfer(curl_, easy_, options, *current, sink, stop);
      const auto redirects = hops > 0 ? Redirects::are_hops : Redirects::are_answers;
      if (auto error = transfer.prepare(redirects)) return std::unexpected(*std::move(error));
      auto sent = carry(transfer, end, stop);
      auto next = transfer.redirected_to();
      if (!sent || next.empty()) return sent;
      auto headers = keeps_headers(transfer, next) ? current->headers : Headers{};
      followed = *current;
      followed.url = std::move(next);
      followed.headers = std::move(headers);
      current = &followed;
    }
  }

 private:
  /// Takes the handle away from the connections again, whatever happens.
  class Attachment {
   public:
    Attachment(const CurlLibrary& curl, CURLM* multi, CURL* easy)
        : curl_(curl), multi_(multi), easy_(easy) {
      curl_.multi_add_handle(multi_, easy_);
    }
    ~Attachment() { curl_.multi_remove_handle(multi_, easy_); }
    Attachment(const Attachment&) = delete;
    Attachment& operator=(const Attachment&) = delete;

   private:
    const CurlLibrary& curl_;
    CURLM* multi_;
    CURL* easy_;
  };

  bool keeps_headers(const Transfer& transfer, const std::string& next) const {
    const auto target = read_url(curl_, next);
    return target && target->origin == transfer.target().origin;
  }

  Sent carry(Transfer& transfer, SteadyTime end, const std::stop_token& stop) {
    const Attachment attachment(curl_, multi_, easy_);
    const std::stop_callback wake(stop, [this] { curl_.multi_wakeup(multi_); });
    for (;;) {
      if (stop.stop_requested()) return std::unexpected(transfer.failed(Failure::cancelled));
      int running = 0;
      const auto code = curl_.multi_perform(multi_, &running);
      if (code != CURLM_OK) return transfer.finish(CURLE_OUT_OF_MEMORY);
      if (running == 0) return transfer.finish(result());
      const auto left = transfer.time_left().value_or(kLongestPoll);
      if (left <= Millis{0}) return std::unexpected(transfer.timed_out());
      const auto total_left = std::chrono::ceil<Millis>(end - steady_clock::now());
      if (total_left <= Millis{0}) return std::unexpected(transfer.out_of_time());
      const auto pause = std::min({left, total_left, kLongestPoll});
      curl_.multi_poll(multi_, nullptr, 0, static_cast<int>(pause.count()), nullptr);
    }
  }

  CURLcode result() {
    int left = 0;
    const auto* const message = curl_.multi_info_read(multi_, &left);
    return message == nullptr ? CURLE_FAILED_INIT : message->data.result;
  }

  const CurlLibrary& curl_;
  CURLM* multi_;
  CURL* easy_;
};

Client::Client(ClientOptions options) : options_(std::move(options)) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

Sent Client::send(const ClientRequest& request, const ResponseSink& sink,
                  const std::stop_token& stop) {
  if (!pool_) {
    auto curl = curl_library();
    if (!curl) return std::unexpected(SendError{std::move(curl).error(), Failure::no_library});
    pool_ = std::make_unique<Pool>(**curl);
  }
  if (!pool_->usable()) {
    return std::unexpected(make_error(Failure::no_library, "a request", "no memory"));
  }
  return pool_->send(options_, request, sink, stop);
}

}  // namespace ralph::http
