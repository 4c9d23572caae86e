#include "system/http/server.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/log.h"
#include "system/http/socket.h"

namespace ralph::http {
namespace {

constexpr int kBacklog = 256;
constexpr int kPauseWhenFullMs = 20;

struct Listener {
  UniqueFd fd;
  std::uint16_t port;
};

std::unexpected<Error> cannot_listen(int error_number, std::uint16_t port) {
  const char* hint = "";
  if (error_number == EADDRINUSE)
    hint = "another program uses that port; port 0 selects a free one";
  if (error_number == EACCES) hint = "ports below 1024 need root; port 0 selects a free one";
  return fail_errno(error_number, fmt::format("cannot listen on 127.0.0.1:{}", port), hint);
}

Result<Listener> listen_on(std::uint16_t port) {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return fail_errno(errno, "cannot make a socket");
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  if (::bind(fd.get(), plain, size) != 0 || ::listen(fd.get(), kBacklog) != 0 ||
      ::getsockname(fd.get(), plain, &size) != 0) {
    return cannot_listen(errno, port);
  }
  return Listener{std::move(fd), ntohs(address.sin_port)};
}

/// The path may be longer than an address holds: it is reached through its directory's descriptor.
Result<Listener> listen_on(const std::filesystem::path& path) {
  const auto what = fmt::format("cannot listen on '{}'", path.native());
  const UniqueFd folder(
      ::open(path.parent_path().c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!folder || !fd) return fail_errno(errno, what);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto name = fmt::format("/proc/self/fd/{}/{}", folder.get(), path.filename().native());
  if (name.size() >= sizeof address.sun_path) return fail_errno(ENAMETOOLONG, what);
  name.copy(address.sun_path, name.size());
  if (::fchmod(fd.get(), 0600) != 0 ||
      ::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(fd.get(), kBacklog) != 0) {
    return fail_errno(errno, what);
  }
  return Listener{std::move(fd), 0};
}

Response refusal_response(const Refusal& refusal) {
  return {refusal.status,
          {{"content-type", "text/plain; charset=utf-8"}, {"connection", "close"}},
          refusal.message + "\n"};
}

/// The bytes one connection holds, out of a common budget.
class Share {
 public:
  Share(std::atomic<std::size_t>& all, std::size_t most) : all_(all), most_(most) {}
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  ~Share() { release(); }

  /// False: the budget is used up.
  bool take(std::size_t bytes) {
    if (most_ == 0) return true;
    taken_ += bytes;
    return all_.fetch_add(bytes) + bytes <= most_;
  }
  void release() { all_ -= std::exchange(taken_, 0); }

 private:
  std::atomic<std::size_t>& all_;
  std::size_t most_;
  std::size_t taken_ = 0;
};

/// The requests of one connection, one after the other.
class Conversation {
 public:
  Conversation(Socket& socket, const ServerOptions& options, std::atomic<std::size_t>& held,
               const Handler& handler)
      : socket_(socket),
        parser_(options.limits),
        share_(held, options.max_held),
        handler_(handler) {}

  void run() {
    while (const auto request = receive()) {
      Exchange exchange(*request, socket_);
      handler_(*request, exchange);
      if (exchange.unanswered()) exchange.respond({500, {}, "no answer\n"});
      share_.release();
      if (!exchange.reusable()) return;
    }
    const auto& refusal = full_ ? full_ : parser_.refusal();
    if (!refusal) return;
    log::debug("http", "refused: " + refusal->message);
    const Request unreadable;
    Exchange(unreadable, socket_).respond(refusal_response(*refusal));
  }

 private:
  std::optional<Request> receive() {
    bool continued = false;
    for (;;) {
      if (auto request = parser_.next()) return request;
      if (parser_.refusal()) return std::nullopt;
      if (parser_.wants_continue() && !std::exchange(continued, true)) {
        socket_.send(head_bytes(100, {}));
      }
      const auto bytes = socket_.receive(buffer_);
      if (bytes.empty()) return std::nullopt;
      if (!share_.take(bytes.size())) {
        full_ = Refusal{503, "too many large requests at a time"};
        return std::nullopt;
      }
      parser_.feed(bytes);
    }
  }

  Socket& socket_;
  RequestParser parser_;
  Share share_;
  std::optional<Refusal> full_;
  const Handler& handler_;
  std::array<char, 65536> buffer_;
};

}  // namespace

struct Server::Connection {
  std::atomic<bool> done = false;
  std::jthread thread;
};

Server::Server(ServerOptions options, Handler handler)
    : options_(std::move(options)), handler_(std::move(handler)) {}

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options, Handler handler) {
  TRY_ASSIGN(auto listener, options.unix_socket.empty() ? listen_on(options.port)
                                                        : listen_on(options.unix_socket));
  std::unique_ptr<Server> server(new Server(options, std::move(handler)));
  server->listener_ = std::move(listener.fd);
  server->port_ = listener.port;
  server->stop_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!server->stop_) return fail_errno(errno, "cannot make an eventfd");
  server->acceptor_ = std::jthread([raw = server.get()] { raw->accept_all(); });
  return server;
}

Server::~Server() { stop(); }

std::string Server::url() const { return fmt::format("http://127.0.0.1:{}", port_); }

void Server::stop() {
  if (!acceptor_.joinable()) return;
  ::eventfd_write(stop_.get(), 1);
  acceptor_.join();
  listener_.reset();  // ends connections not accepted yet
  if (!options_.unix_socket.empty()) ::unlink(options_.unix_socket.c_str());
  connections_.clear();  // joins their threads
}

void Server::accept_all() {
  for (;;) {
    std::array<pollfd, 2> fds{{{listener_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return;
    if (fds[1].revents != 0) return;
    if (fds[0].revents == 0) continue;
    std::erase_if(connections_, [](const Connection& one) { return one.done.load(); });
    take_connection();
  }
}

void Server::take_connection() {
  UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!fd) {
    if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) return;
    log::debug("http", fail_errno(errno, "cannot accept a connection").error().message);
    pollfd stop{stop_.get(), POLLIN, 0};
    ::poll(&stop, 1, kPauseWhenFullMs);
    return;
  }
  if (options_.max_connections > 0 && connections_.size() >= options_.max_connections) return;
  auto& connection = connections_.emplace_back();
  try {
    connection.thread = std::jthread([this, &connection, owned = std::move(fd)]() mutable {
      try {
        serve(std::move(owned));
      } catch (const std::exception& error) {  // no memory: only this connection ends
        log::debug("http", error.what());
      }
      connection.done = true;
    });
  } catch (const std::system_error& error) {  // cannot create a thread: the client sees the end
    log::debug("http", fmt::format("no thread for a connection: {}", error.what()));
    connections_.pop_back();
  }
}

void Server::serve(UniqueFd fd) {
  Socket socket(std::move(fd), stop_.get());
  Conversation(socket, options_, held_, handler_).run();
}

}  // namespace ralph::http
