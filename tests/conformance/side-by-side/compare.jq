# The differences between two runs, one a line: {case, where, path, real, ours, id}. id: the entry of
# differences.json that allows it; null: none does. A side that lacks the thing has "absent".

def allowed: . as $d
  | first($listed[0][] | . as $entry | select(
      any(.matches[]; . as $m
        | ($d.where | test("^(\($m.where // ".*"))$")) and ($d.path | test("^(\($m.path // ".*"))$"))
        and ($d.case | test("^(\($m.case // ".*"))$"))
        and (($m | has("real") | not) or ($d.real | tostring | test("^(\($m.real))$")))
        and (($m | has("ours") | not) or ($d.ours | tostring | test("^(\($m.ours))$")))))
    | .id) // null;

def compare_fields($where; $real; $ours):
  ($real + $ours | keys_unsorted)[] as $path
  | {$where, $path,
     real: (if $real | has($path) then $real[$path] else "absent" end),
     ours: (if $ours | has($path) then $ours[$path] else "absent" end)}
  | select(.real != .ours);

def one_side($side; $thing):
  {where: $thing.name, path: "", real: "absent", ours: "absent"} | .[$side] = "there";

def compare_lists($pairs; $real; $ours):
  foreach ($pairs | explode[] | [.] | implode) as $pair ({r: -1, o: -1};
    if $pair != "+" then .r += 1 else . end | if $pair != "-" then .o += 1 else . end;
    if $pair == "-" then one_side("real"; $real[.r])
    elif $pair == "+" then one_side("ours"; $ours[.o])
    else compare_fields($real[.r].name; $real[.r].fields; $ours[.o].fields) end);

def times($text; $n): if $n > 0 then $text * $n else "" end;

$real[0] as $r | $ours[0] as $o
| compare_fields("run"; $r.run; $o.run),
  compare_lists($pairs; $r.events; $o.events),
  (([$r.requests, $o.requests] | map(length) | min) as $both
    | compare_lists(times("="; $both) + times("-"; ($r.requests | length) - $both) + times("+"; ($o.requests | length) - $both);
      $r.requests; $o.requests))
| {case: $case} + . | . + {id: allowed}
