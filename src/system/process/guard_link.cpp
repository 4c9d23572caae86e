#include "system/process/guard_link.h"

#include <algorithm>
#include <cerrno>

#include <poll.h>
#include <sys/socket.h>

namespace ralph::process {

Sent send_request(int control, guard::RequestKind kind, int value) {
  guard::Request request;
  request.kind = kind;
  request.value = value;
  ssize_t sent = 0;
  do {
    sent = ::send(control, &request, sizeof request, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  if (sent == static_cast<ssize_t>(sizeof request)) return Sent::done;
  return sent < 0 && errno == EAGAIN ? Sent::later : Sent::gone;
}

Heard receive_report(int control, guard::Report& report) {
  ssize_t got = 0;
  do {
    // ECONNRESET says once that the guard left without reading our last request; its reports
    // follow.
    got = ::recv(control, &report, sizeof report, MSG_DONTWAIT);
  } while (got < 0 && (errno == EINTR || errno == ECONNRESET));
  if (got < 0 && errno == EAGAIN) return Heard::nothing;
  const bool whole =
      got == static_cast<ssize_t>(sizeof report) && report.version == guard::kVersion;
  return whole ? Heard::report : Heard::guard_gone;
}

Heard wait_for_report(int control, guard::Report& report, SteadyTime deadline) {
  for (;;) {
    const Heard heard = receive_report(control, report);
    const auto left =
        std::chrono::ceil<Millis>(deadline - std::chrono::steady_clock::now()).count();
    if (heard != Heard::nothing || left <= 0) return heard;
    pollfd fd{control, POLLIN, 0};
    ::poll(&fd, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
  }
}

}  // namespace ralph::process
