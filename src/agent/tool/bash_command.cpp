#include "agent/tool/bash_command.h"

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/names.h"
#include "system/process/child.h"

namespace ralph::tool {
namespace {

constexpr std::size_t kArgumentPiece = std::size_t{96} << 10;  // the kernel allows 128 kB
constexpr std::size_t kLongestPath = 4096;
constexpr process::EndPolicy kEndPolicy{.grace = Millis{500}};

std::string bash_program() { return ::access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "bash"; }

/// One line, so that bash counts the command's lines from 1. The command is passed in pieces as arguments.
std::string wrapper(const std::string& folder_note) {
  const auto note = fmt::format("2>/dev/null >|{} pwd -P", shell_word(folder_note));
  return fmt::format("exec 2>&1; trap {} EXIT; printf -v REPLY %s \"$@\"; set --; eval \"$REPLY\"",
                     shell_word(note));
}

process::Command process_command(const BashCommand::Options& options,
                                 const std::string& folder_note) {
  const auto program = bash_program();
  process::Command command;
  command.argv = {program, "-c", wrapper(folder_note), program};
  for (std::size_t at = 0; at < options.text.size(); at += kArgumentPiece) {
    command.argv.push_back(options.text.substr(at, kArgumentPiece));
  }
  command.cwd = options.folder;
  command.env = options.environment;
  command.confinement = options.confinement;
  command.support = options.support;
  return command;
}

/// The file that the shell writes its last directory to, and its name for the shell. For a confined shell it is in the
/// scratch directory. It is read through the descriptor, so that a replaced file has no effect.
struct FolderNote {
  UniqueFd file;
  std::string name;
};
Result<FolderNote> make_folder_note(const BashCommand::Options& options) {
  if (!options.confinement) {
    UniqueFd file(::memfd_create("ralph-folder", MFD_CLOEXEC));
    if (!file) return fail_errno(errno, "cannot create a file in memory");
    auto name = fmt::format("/proc/{}/fd/{}", ::getpid(), file.get());
    return FolderNote{std::move(file), std::move(name)};
  }
  auto name = (options.confinement->scratch / ".folder").string();
  UniqueFd file(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return fail_errno(errno, fmt::format("cannot create '{}'", name));
  return FolderNote{std::move(file), std::move(name)};
}

}  // namespace

BashCommand::BashCommand(const Options& options) : output_(options.output_file, options.shown) {}

BashCommand::~BashCommand() = default;

Result<std::unique_ptr<BashCommand>> BashCommand::start(const Options& options) {
  std::unique_ptr<BashCommand> command(new BashCommand(options));
  TRY_ASSIGN(auto note, make_folder_note(options));
  command->folder_note_ = std::move(note.file);
  TRY_ASSIGN(auto child, process::start(process_command(options, note.name)));
  try {
    command->thread_ = std::jthread(
        [self = command.get(), child = std::move(child)](std::stop_token stop) mutable {
          self->run(std::move(child), std::move(stop));
        });
  } catch (const std::system_error& error) {
    return fail(Code::unavailable, fmt::format("cannot start a thread: {}", error.what()));
  }
  return command;
}

void BashCommand::run(process::Child child, std::stop_token stop) {
  const process::Sink keep = [this](std::string_view bytes) -> Result<> {
    output_.append(bytes);
    return {};
  };
  // Until the wrapper merges it into stdout, stderr has the messages of bash itself.
  exit_ = process::supervise(std::move(child), {keep, keep, {}, {}}, handle_, std::move(stop),
                             kEndPolicy);
  output_.finish();
  std::function<void()> call;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    call = std::move(when_ended_);
    changed_.notify_all();
  }
  if (call) call();
}

BashCommand::Waited BashCommand::wait(SteadyTime deadline, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (changed_.wait_until(lock, stop, deadline, [this] { return ended_; })) return Waited::ended;
  return stop.stop_requested() ? Waited::stop : Waited::deadline;
}

bool BashCommand::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void BashCommand::end() { thread_.request_stop(); }

void BashCommand::end_after(Millis time) { handle_.arm(process::Limit::wall, time); }

void BashCommand::when_ended(std::function<void()> call) {
  {
    const std::lock_guard lock(mutex_);
    if (!ended_) {
      when_ended_ = std::move(call);
      return;
    }
  }
  call();
}

int BashCommand::exit_code() const {
  constexpr int kKilled = 137;
  if (exit_.exit_code) return *exit_.exit_code;
  return exit_.signal ? 128 + *exit_.signal : kKilled;
}

std::filesystem::path BashCommand::final_folder() const {
  std::string path(kLongestPath + 1, '\0');
  const auto got = ::pread(folder_note_.get(), path.data(), path.size(), 0);
  if (got <= 1 || path[static_cast<std::size_t>(got) - 1] != '\n') return {};
  path.resize(static_cast<std::size_t>(got) - 1);
  return path;
}

}  // namespace ralph::tool
