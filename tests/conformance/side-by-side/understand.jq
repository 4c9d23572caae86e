# One run of one agent as what can be compared: {run, events: [{name, fields}], requests: [{name, fields}]}.
# fields: a path such as `.message.content[0].text` to a scalar. What differs from run to run is masked.

def uuid: "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";

# Lists that belong to an agent as a whole.
def opaque: ["tools", "slash_commands", "agents", "skills", "plugins", "mcp_servers", "commands", "models", "capabilities", "terminal_slash_commands"];

def events: [$stdout | split("\n")[] | select(. != "") | (fromjson? // {type: "text", text: .})
  | if type == "array" then .[] else . end | if type == "object" then . else {type: "text", text: tostring} end];

def event_name: .type + (if .subtype then "/" + .subtype
  elif .type == "stream_event" then "/" + .event.type
  elif .type == "control_response" then "/" + .response.subtype
  else "" end);

# Sentences of the agent's own: that there is one is compared, not how it is worded.
def own_words: if type == "string" and . != "" then "<own words>"
  elif type == "array" then map(if type == "object" and .type == "text" then .text |= own_words else own_words end)
  else . end;
def mask_results: if type == "array" then map(if type == "object" and .type == "tool_result" then .content |= own_words else . end) else . end;
def mask_wording:
  if .type == "assistant" and .message.model == "<synthetic>" then .message.content |= own_words
  elif .type == "user" and .isSynthetic then .message.content |= own_words
  elif .type == "user" then .message.content |= mask_results | (if has("tool_use_result") then .tool_use_result |= own_words else . end)
  elif .type == "result" then (if .is_error then .result |= own_words else . end)
    | if .errors then .errors |= own_words else . end | if .result == null then del(.result) else . end
  elif .type == "control_response" and .response.error then .response.error |= own_words
  elif .type == "system" and (.subtype | IN("informational", "model_fallback")) then .content |= own_words
  elif .type == "system" and .subtype == "permission_denied" then .message |= own_words
    | if .decision_reason then .decision_reason |= own_words else . end
  elif .type == "system" and .subtype == "task_notification" then .summary |= own_words
  elif .type == "text" and ($code | tonumber) != 0 then .text |= own_words
  else . end;

def mask_text($sessions):
  . as $text
  | if $sessions | index($text) then "<session \(($sessions | index($text)) + 1)>" else
    gsub($folder; "<folder>") | gsub($home; "<home>")
    | gsub("-[A-Za-z0-9-]*-side-by-side-[A-Za-z0-9-]*-folder"; "<folder>")
    | gsub(uuid; "<uuid>") | gsub("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z"; "<time>")
    | gsub("(?<kind>msg|req|toolu)_mock_[0-9]+"; "<\(.kind)>")
    | sub("^b[0-9a-z]{8}$"; "<task>") | sub("/tool-results/b[0-9a-z]{8}[.]txt$"; "/tool-results/<task>.txt")
    | sub("^[0-9]+\\.[0-9]+\\.[0-9]+"; "<version>") end;

def mask($key; $sessions):
  if type == "string" then mask_text($sessions)
  elif type == "number" and ($key | test("_ms$|Ms$|^end_time$")) then "<ms>"
  elif type == "number" then . * 1e9 | round / 1e9
  else . end;

def flat($sessions):
  def walk_fields($path; $key):
    if type == "object" and length > 0 and (opaque | index($key) | not) then to_entries[] | .key as $k | .value | walk_fields("\($path).\($k | mask_text($sessions))"; $k)
    elif type == "array" and length > 0 and (opaque | index($key) | not) then to_entries[] | .key as $k | .value | walk_fields("\($path)[\($k)]"; $key)
    else {key: $path, value: (if type == "object" or type == "array" then . else mask($key; $sessions) end)} end;
  [walk_fields(""; "")] | from_entries;

# What stands in for an answer that never came.
def fillers: ["No response requested.", "[The session ended before this was answered.]"];

# A message of a request as lines: who, what; without what an agent adds about itself and its surroundings.
def without_reminders: gsub("<(?<tag>system-reminder|environment|task-notification)>(.|\n)*?</\\k<tag>>\n*"; "") | sub("\\s+$"; "");
def message_lines($synthetic):
  .role as $role | .content | if type == "string" then [{type: "text", text: .}] else . end | .[]
  | if .type == "text" then (.text | without_reminders) as $text | select($text != "")
      | "\($role): " + if $synthetic + fillers | index($text) then "<own words>" else $text end
    elif .type == "tool_result" then "\($role): tool_result \(if .is_error then "(error) " else "" end)" + (.content | own_words | tostring)
    elif .type == "tool_use" then "\($role): tool_use \(.name) \(.input | tojson)"
    else "\($role): \(.type)" end;

events as $events
| ([$events[].session_id // empty] | reduce .[] as $id ([]; if index($id) then . else . + [$id] end)) as $sessions
| [$events[] | select(.type == "user" and .isSynthetic) | .message.content
    | (if type == "string" then . else .[].text end) | sub("\\s+$"; "")] as $synthetic
| {
    run: ({exit: ($code | tonumber), stderr: (if $stderr == "" then "" else "<own words>" end)}),
    events: [$events[] | {name: event_name, fields: (mask_wording | del(.type, .subtype) | flat($sessions))}],
    requests: [$requests[$skip:][] | select(.target | test("/v1/messages(\\?|$)")) | .body
      | {name: "request", fields: ({model, max_tokens, stream, thinking, output_config,
          messages: [.messages[] | select(.role != "system") | message_lines($synthetic)]}
        | flat($sessions))}]
  }
