#pragma once
#include <cstdint>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "core/base/unique_fd.h"

namespace ralph::test {

/// A port of 127.0.0.1 that does nothing by itself.
class TcpListener {
 public:
  /// With a backlog of 0 the second connection nobody accepts waits for ever.
  explicit TcpListener(int backlog = 16) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    ok_ = ::bind(fd_.get(), plain, size) == 0 && ::listen(fd_.get(), backlog) == 0 &&
          ::getsockname(fd_.get(), plain, &size) == 0;
    port_ = ntohs(address.sin_port);
  }

  bool ok() const { return ok_; }
  std::uint16_t port() const { return port_; }
  /// Waits for a connection and its first byte, which stays unread.
  UniqueFd accept_first_byte() const {
    UniqueFd connection(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    char byte = 0;
    static_cast<void>(::recv(connection.get(), &byte, 1, MSG_PEEK));
    return connection;
  }
  void close() { fd_.reset(); }

 private:
  UniqueFd fd_;
  bool ok_ = false;
  std::uint16_t port_ = 0;
};

}  // namespace ralph::test
