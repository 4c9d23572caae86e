#pragma once
#include <array>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/time.h"
#include "system/http/client.h"
#include "system/http/curl_library_impl.h"
#include "system/http/target_impl.h"

namespace ralph::http {

/// The headers as libcurl wants them; the list lives as long as the transfer.
class HeaderList {
 public:
  explicit HeaderList(const CurlLibrary& curl) : curl_(curl) {}
  ~HeaderList() { curl_.slist_free_all(list_); }
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;

  void append(const std::string& line) { list_ = curl_.slist_append(list_, line.c_str()); }
  curl_slist* get() const { return list_; }

 private:
  const CurlLibrary& curl_;
  curl_slist* list_ = nullptr;
};

/// Whether a 3xx answer ends the transfer quietly, for the caller to go on elsewhere.
enum class Redirects { are_answers, are_hops };

/// One request on its way: sets up the handle, hears libcurl's callbacks, and says what came of it.
class Transfer {
 public:
  Transfer(const CurlLibrary& curl, CURL* easy, const ClientOptions& options,
           const ClientRequest& request, const ResponseSink& sink, const std::stop_token& stop);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  std::optional<SendError> prepare(Redirects redirects);
  /// After each step: the time left until something must have happened; nullopt: no limit.
  std::optional<Millis> time_left();
  /// Which limit it was when no time is left.
  SendError timed_out() const;
  /// The total timeout has passed.
  SendError out_of_time() const;
  SendError failed(Failure failure, std::string_view detail = {}) const;
  /// What it came to, once libcurl is done.
  Sent finish(CURLcode code);
  /// Where the answer points to; empty: it is an answer.
  std::string redirected_to() const;
  const Target& target() const { return target_; }

 private:
  template <typename Value>
  void set(CURLoption option, Value value);
  void set_method();
  void set_connection();
  void set_proxy();
  void set_trust();
  void set_callbacks();
  std::optional<SendError> set_headers();

  static std::size_t on_header(char* bytes, std::size_t one, std::size_t size, void* self) noexcept;
  static std::size_t on_body(char* bytes, std::size_t one, std::size_t size, void* self) noexcept;
  static curl_socket_t on_socket(void* self, curlsocktype purpose, curl_sockaddr* address) noexcept;
  static int on_connected(void* self, char*, char*, int, int) noexcept;
  /// False: the transfer ends here, with error_ or because of a stop request.
  bool without_throwing(const std::function<bool()>& take) noexcept;
  bool take_header(std::string_view line);
  bool take_body(std::string_view bytes);
  bool end_head();
  bool within_limits(std::size_t bytes, std::size_t headers);
  bool accepted(Result<> result);

  Failure classify(CURLcode code) const;
  std::string detail(Failure failure, CURLcode code) const;

  const CurlLibrary& curl_;
  CURL* easy_;
  const ClientOptions& options_;
  const ClientRequest& request_;
  const ResponseSink& sink_;
  const std::stop_token& stop_;
  Target target_;
  HeaderList headers_;
  Redirects redirects_ = Redirects::are_answers;
  CURLcode setup_ = CURLE_OK;  // the first option that was refused
  std::array<char, CURL_ERROR_SIZE> error_text_{};

  Response response_;
  std::optional<SendError> error_;  // why a callback ended it
  bool connected_ = false;
  bool address_refused_ = false;
  bool head_whole_ = false;
  bool hop_ = false;  // the head is a 3xx to follow
  std::size_t head_bytes_ = 0;
  std::size_t header_count_ = 0;
  std::size_t thrown_away_ = 0;
  curl_off_t sent_bytes_ = 0;
  SteadyTime last_sent_;
  SteadyTime last_received_;
};

}  // namespace ralph::http
