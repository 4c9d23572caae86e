#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "core/base/unique_fd.h"

namespace ralph::test {

/// A client that says exactly the bytes it is told, and hears bytes. Reads give up after 30 s.
class TcpClient {
 public:
  explicit TcpClient(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval patience{30, 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }

  bool connected() const { return connected_; }

  bool say(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto put = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (put <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
  }

  /// Everything heard up to and with `mark`; all that came when the connection ends before.
  std::string hear_until(std::string_view mark) {
    for (;;) {
      const auto found = heard_.find(mark);
      if (found != heard_.npos) return take(found + mark.size());
      if (!hear_more()) return take(heard_.size());
    }
  }
  std::string hear(std::size_t bytes) {
    while (heard_.size() < bytes && hear_more()) {
    }
    return take(std::min(bytes, heard_.size()));
  }
  std::string hear_all() {
    while (hear_more()) {
    }
    return take(heard_.size());
  }
  /// One answer with a Content-Length: its head and its body.
  std::string hear_answer() {
    auto head = hear_until("\r\n\r\n");
    const auto at = head.find("content-length: ");
    return at == head.npos ? head : head + hear(std::stoul(head.substr(at + 16)));
  }

  /// The error the last read met; 0: the end.
  int error_number() const { return error_number_; }
  void close() { fd_.reset(); }

 private:
  bool hear_more() {
    std::array<char, 65536> piece;
    const auto got = ::recv(fd_.get(), piece.data(), piece.size(), 0);
    error_number_ = got < 0 ? errno : 0;
    if (got <= 0) return false;
    heard_.append(piece.data(), static_cast<std::size_t>(got));
    return true;
  }
  std::string take(std::size_t bytes) {
    auto taken = heard_.substr(0, bytes);
    heard_.erase(0, bytes);
    return taken;
  }

  UniqueFd fd_;
  bool connected_ = false;
  std::string heard_;
  int error_number_ = 0;
};

}  // namespace ralph::test
