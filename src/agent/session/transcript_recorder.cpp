#include "agent/session/transcript_recorder.h"

#include <utility>

#include "agent/session/json_text.h"
#include "agent/session/message_json.h"
#include "core/json/writer.h"

namespace ralph::session {
namespace {

/// `"requestId":"…"`; empty without an id.
std::string request_member(const std::string& request_id) {
  return request_id.empty() ? "" : "\"requestId\":" + json_string(request_id);
}

}  // namespace

TranscriptRecorder::TranscriptRecorder(std::optional<Transcript> transcript,
                                       std::function<void(const Error&)> on_lost)
    : transcript_(std::move(transcript)), on_lost_(std::move(on_lost)) {}

void TranscriptRecorder::add_user(std::string_view content, const std::string& uuid,
                                  std::string members) {
  if (!transcript_) return;
  std::string message;
  json::ObjectWriter(message).text("role", "user").raw("content", content).close();
  check(transcript_->append({EntryType::user, uuid, std::move(message), std::move(members)}));
}

void TranscriptRecorder::add_reply(const api::Reply& reply, const std::vector<std::string>& uuids) {
  if (!transcript_) return;
  for (std::size_t i = 0; i < reply.content.size(); ++i) {
    auto message =
        message_json(reply, reply.content[i].json, reply.stop_reason, usage_json(reply.usage));
    check(transcript_->append(
        {EntryType::assistant, uuids.at(i), std::move(message), request_member(reply.request_id)}));
  }
}

void TranscriptRecorder::add_error(const ApiErrorFacts& facts) {
  if (!transcript_) return;
  auto members = "\"isApiErrorMessage\":true,\"error\":" + json_string(to_string(facts.error));
  if (!facts.request_id.empty()) members += "," + request_member(facts.request_id);
  check(transcript_->append(
      {EntryType::assistant, facts.uuid, api_error_message(facts), std::move(members)}));
}

void TranscriptRecorder::add_boundary(const std::string& uuid, std::string members) {
  if (!transcript_) return;
  check(transcript_->append_root({EntryType::system, uuid, "", std::move(members)}));
}

void TranscriptRecorder::add_system_prompt(const std::vector<std::string>& texts) {
  if (!transcript_ || texts.empty()) return;
  auto members =
      R"("attachment":{"type":"prompt_snapshot","systemPrompt":)" + string_array(texts) + "}";
  check(transcript_->append({EntryType::attachment, "", "", std::move(members)}));
}

void TranscriptRecorder::add_totals(const std::vector<ModelTotal>& totals) {
  if (transcript_) check(transcript_->append_totals(totals));
}

void TranscriptRecorder::add_title(std::string_view title) {
  if (transcript_) check(transcript_->append_title(title));
}

void TranscriptRecorder::check(const Result<>& written) {
  if (written || std::exchange(lost_, true)) return;
  on_lost_(written.error());
}

}  // namespace ralph::session
