# What the requests in a mock's log would be billed, as one object. A request for a message is billed, any other is free.
# $models: src/core/model/models.json. $steps: how many the scenario has. $session, $side, $code: copied.
def prices($id; $sent):
  [$models[0].models[] | select(.id as $known | $id | startswith($known))] | max_by(.id | length)
  | if . == null then error("no prices for \($id) in src/core/model/models.json") else . end
  | [.prices[] | select((.above // -1) < $sent)] | last;

def dollars($model):
  prices($model; .input + .write_5m + .write_1h + .read) as $price
  | (.input * $price.input + .write_5m * $price.cache_write_5m + .write_1h * $price.cache_write_1h
     + .read * $price.cache_read + .output * $price.output) / 1e6;

# In tokens of input, by the usual factors.
def billed: .input + 1.25 * .write_5m + 2 * .write_1h + 0.1 * .read + 5 * .output;

def charge:
  .body.model as $model
  | {bytes: (.body | tojson | utf8bytelength), input: .usage.input_tokens, output: .usage.output_tokens,
     read: .usage.cache_read_input_tokens, write_5m: .usage.cache_creation.ephemeral_5m_input_tokens,
     write_1h: .usage.cache_creation.ephemeral_1h_input_tokens}
  | . + {requests: 1, billed: billed, dollars: dollars($model)};

def add_to($total): with_entries(.value += ($total[.key] // 0));

reduce (inputs | select(.method == "POST")) as $request ({requests: 0, billed: 0, dollars: 0, free: 0, reached: 0};
  if $request.usage == null then .free += 1
  else . + (($request | charge) as $charge | . as $total | $charge | add_to($total))
       + {reached: ([.reached, $request.step // 0] | max)}
  end)
| {$session, $side, $code, complete: (.reached == $steps), total: .}
