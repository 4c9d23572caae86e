#pragma once
#include <string_view>

#include "core/base/result.h"

namespace ralph::http {

/// Why a request got no whole answer.
enum class Failure {
  cancelled,          // the stop token asked for it
  sink,               // the caller's own sink refused; the error is the sink's
  bad_request,        // the request cannot be sent: its URL, method or a header
  no_library,         // libcurl is not there, or of no use
  resolve,            // no address for the name
  connect,            // refused, unreachable, or the proxy would not
  address_refused,    // ClientOptions::public_only, and the name has no public address
  connect_timed_out,  // no connection within connect_timeout
  tls,                // the handshake failed
  certificate,        // the certificate of the peer is not valid
  reset,              // the connection ended before a line of an answer came
  head_timed_out,     // no whole head within head_timeout
  cut_in_head,        // the connection ended inside the head
  cut_in_body,        // … inside the body: Content-Length or the last chunk was not reached
  body_stalled,       // no byte of the body within stall_timeout
  not_http,           // the response is not HTTP
  too_large,          // the head is over the limits
};

/// "cut_in_body".
std::string_view to_string(Failure failure);
/// Whether the same request may well succeed a little later.
bool is_transient(Failure failure);

/// An error that code can decide on. It turns into a plain Error where one is wanted.
struct SendError : Error {
  Failure failure = Failure::bad_request;
};

/// Whether a host of a URL is this machine by its name or address.
bool is_loopback(std::string_view host);

/// "connection refused to example.org:443", with the hint of that failure. The origin is scheme, host and port: never a
/// path, a query or user information.
SendError make_error(Failure failure, std::string_view origin, std::string_view detail = {});

}  // namespace ralph::http
