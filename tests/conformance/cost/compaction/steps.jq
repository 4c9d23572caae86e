# Each agent asks for a summary in words of its own.
def summary($words): {text: "<summary>Numbers were printed, again and again.</summary>", match: {last: $words}};
summary("between <summary> and </summary>"), summary("create a detailed summary of"),
(range(40) | bash("seq \(1000 + .) 5500")), done
