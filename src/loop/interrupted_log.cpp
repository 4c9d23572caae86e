#include <filesystem>

#include "loop/loop_impl.h"
#include "loop/requests.h"
#include "run/bookkeeping.h"
#include "stream/decoder.h"

namespace ralph::loop {
namespace {

constexpr std::size_t kLargestLog = std::size_t{256} << 20;

Result<std::string> read_log(const Setup& setup, const store::Workspace& workspace,
                             const std::string& name) {
  TRY_ASSIGN(const auto folder, run::log_folder(setup.request.log_dir, workspace));
  const auto place = folder / setup.request.backend->name / name;
  TRY_ASSIGN(const auto parent, place.parent());
  return parent.read(place.name(), kLargestLog);
}

}  // namespace

void add_from_log(RunEnd& end, const Setup& setup, const store::Workspace& workspace) {
  const auto& backend = *setup.request.backend;
  const auto name = answers_by_schema(backend)
                        ? std::filesystem::path(end.raw_log).filename().string()
                        : std::string();
  if (name.empty()) return;
  const auto log = read_log(setup, workspace, name);
  if (!log) return;
  stream::Summary summary(setup.models);
  stream::Decoder decoder(backend.make_dialect(std::string(backend.display_name)), {&summary}, "",
                          setup.request.max_line);
  decoder.feed(*log, 0);
  decoder.finish(0);
  const bool more = summary.result_count > end.summary.result_count ||
                    summary.cost_usd().value_or(0) > end.summary.cost_usd().value_or(0);
  if (!more) return;
  end.summary = std::move(summary);
  conclude_interrupted(end, setup);
}

}  // namespace ralph::loop
