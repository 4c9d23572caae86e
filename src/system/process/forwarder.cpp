#include "system/process/forwarder.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/unique_fd.h"

namespace ralph::process {
namespace {

constexpr int kBacklog = 128;
constexpr int kMostConnections = 64;

Result<UniqueFd> listen_on(std::uint16_t port) {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (!fd || ::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(fd.get(), kBacklog) != 0) {
    return fail_errno(errno, fmt::format("cannot listen on 127.0.0.1:{}", port));
  }
  return fd;
}

/// The path may be longer than an address holds.
UniqueFd connect_to(int folder, const std::string& name) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto path = fmt::format("/proc/self/fd/{}/{}", folder, name);
  if (!fd || path.size() >= sizeof address.sun_path) return {};
  path.copy(address.sun_path, path.size());
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return {};
  return fd;
}

bool send_all(int fd, const char* bytes, ssize_t count) {
  while (count > 0) {
    const auto sent = ::send(fd, bytes, static_cast<std::size_t>(count), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes += sent;
    count -= sent;
  }
  return true;
}

/// One direction: until its source ends, then the other side is told so.
void copy(int from, int to) {
  std::array<char, 65536> buffer;
  for (;;) {
    const auto got = ::recv(from, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || !send_all(to, buffer.data(), got)) break;
  }
  ::shutdown(to, SHUT_WR);
  ::shutdown(from, SHUT_RD);
}

void serve(UniqueFd client, UniqueFd model) {
  const int on = 1;
  ::setsockopt(client.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  std::jthread back([&] { copy(model.get(), client.get()); });
  copy(client.get(), model.get());
}

[[noreturn]] void forward(const UniqueFd& listener, const UniqueFd& folder,
                          const std::string& name) {
  std::atomic<int> connections = 0;
  for (;;) {
    UniqueFd client(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!client && (errno == EBADF || errno == EINVAL)) ::_exit(1);
    if (!client || connections.load() >= kMostConnections) continue;
    auto model = connect_to(folder.get(), name);
    if (!model) continue;
    ++connections;
    try {
      std::thread([&connections, one = std::move(client), other = std::move(model)]() mutable {
        serve(std::move(one), std::move(other));
        --connections;
      }).detach();
    } catch (const std::exception&) {  // no thread, no connection
      --connections;
    }
  }
}

void leave_standard_streams() {
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (int fd = 0; fd <= 2; ++fd) ::dup2(null.get(), fd);
}

}  // namespace

Result<> start_forwarder(std::uint16_t port, const std::filesystem::path& socket) {
  TRY_ASSIGN(const auto listener, listen_on(port));
  const UniqueFd folder(::open(socket.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return fail_errno(errno, fmt::format("cannot open '{}'", socket.native()));
  const pid_t first = ::fork();
  if (first < 0) return fail_errno(errno, "cannot start the forwarder");
  if (first > 0) {
    ::waitpid(first, nullptr, 0);
    return {};
  }
  // Twice, so that it is a child of the sandbox's first process and not of the agent.
  if (::fork() != 0) ::_exit(0);
  ::setsid();
  leave_standard_streams();
  forward(listener, folder, socket.filename().native());
}

Error become(const std::vector<std::string>& argv) {
  std::vector<char*> words;
  for (const auto& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::signal(SIGPIPE, SIG_DFL);  // ralph itself ignores them
  std::signal(SIGXFSZ, SIG_DFL);
  ::execv(words.front(), words.data());
  return fail_errno(errno, fmt::format("cannot start '{}'", argv.front())).error();
}

}  // namespace ralph::process
