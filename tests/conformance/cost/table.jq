# Two bills of each session as a row of a table, ours / the original's, and a line for each session that fails.
def left($width): . + " " * ([$width - length, 0] | max);
def fixed($digits): . * pow(10; $digits) | round | tostring
  | if length <= $digits then "0" * ($digits + 1 - length) + . else . end | .[:-$digits] + "." + .[-$digits:];
def pair(value): map(.total | value | tostring) | join(" / ");
def cells: [.[0].session, pair(.requests), pair(.bytes / 1000 | round), pair(.input), pair(.write_5m + .write_1h), pair(.read),
  pair(.billed | round), pair(.dollars | fixed(4)), "\(100 * .[0].total.dollars / .[1].total.dollars | round) %"];
def why: . as [$ours, $real]
  | if any(.code != 0 or (.complete | not)) then "did not end as it should: exit \(map(.code) | join(" / "))"
    elif $ours.total.billed > $real.total.billed or $ours.total.dollars > $real.total.dollars then "ours costs more"
    else empty end;

[inputs] | group_by(.session) | map(sort_by(.side)) as $sessions
| ([["session", "requests", "kB sent", "input", "cache write", "cache read", "billed", "dollars", "ours"]]
  + ($sessions | map(select(all(.total.requests != 0)) | cells))) as $rows
| ($rows | transpose | map(map(length) | max)) as $widths
| ($rows | to_entries[] | .key as $row
   | "| \([.value, $widths] | transpose | map(. as [$cell, $width] | $cell | left($width)) | join(" | ")) |",
     if $row == 0 then "|\($widths | map("-" * (. + 2)) | join("|"))|" else empty end),
  ($sessions[] | "FAILED cost/\(.[0].session): \(why)")
