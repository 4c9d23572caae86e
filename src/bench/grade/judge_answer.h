#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "bench/grade/grader.h"
#include "core/json/document.h"

namespace ralph::grade {

/// What a judge must find true, and the key of its score.
struct Assertion {
  std::string key, text;
};
/// Of a judge's settings: `assertions`, or `criteria`. The keys of a list are "1", "2" …
std::vector<Assertion> assertions_of(const json::Document& config);

/// What a judge said once.
struct Vote {
  GradeStatus status = GradeStatus::skipped;  // skipped: the vote does not count
  std::string scores = "{}";                  // JSON object: one number from 0 to 1 per assertion
  std::string message;
  std::string problem = {};  // why the vote does not count
  bool unavailable = false;  // for a reason that is not in the graded work
};

/// The JSON Schema of a judge's answer.
std::string answer_schema(const std::vector<Assertion>& assertions);

/// Reads and checks an answer (JSON text). A vote counts only if it has every score and its status agrees with them:
/// passed, if each score reaches the threshold.
Vote read_vote(std::string_view answer, const std::vector<Assertion>& assertions, double threshold);
/// The same for a text around JSON objects, which may quote what is graded: every object with the status "passed" or "failed"
/// must be valid, with the same status and scores.
Vote read_text_vote(std::string_view text, const std::vector<Assertion>& assertions,
                    double threshold);

/// passed: more than half of all votes did. skipped: they could have, but judges were unavailable. Else failed: what a judge
/// reads may be why its vote does not count.
GradeStatus majority(const std::vector<Vote>& votes);
/// JSON object: the mean of each score over the votes that count.
std::string mean_scores(const std::vector<Vote>& votes, const std::vector<Assertion>& assertions);

}  // namespace ralph::grade
