#include "harness/run/sandbox_session.h"

#include <utility>

#include "harness/store/private_files.h"

namespace ralph::run {

Result<std::unique_ptr<SandboxSession>> SandboxSession::open(backend::Plan& plan,
                                                             const backend::Host& host,
                                                             const std::filesystem::path& state,
                                                             std::string_view run_id) {
  std::unique_ptr<SandboxSession> session(new SandboxSession(host));
  session->removed_ = store::Workspace::at(host.root()).run_folder(run_id).path() / "removed";
  TRY(session->protected_.remember(state));
  for (const auto& folder : plan.kept_folders) TRY(store::make_private_folder(folder));
  for (const auto& file : plan.private_files) {
    TRY_ASSIGN(auto written, store::TempFile::write(store::Location(file.path), file.bytes));
    session->files_.push_back(std::move(written));
  }
  if (plan.route) {
    TRY_ASSIGN(session->proxy_, ModelProxy::start(*std::exchange(plan.route, {})));
  }
  return session;
}

std::vector<std::string> SandboxSession::close() {
  auto lines = protected_.restore(removed_);
  if (!proxy_) return lines;
  for (const auto& line : proxy_->refused()) {
    lines.push_back("refused by the sandbox: " + line);
  }
  proxy_.reset();
  return lines;
}

}  // namespace ralph::run
