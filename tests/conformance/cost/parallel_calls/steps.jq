def many($n): {content: [range(60) | bash("echo \($n) \(.); seq 1 300")]};
many(1), small_turns(0; 5), many(2), small_turns(5; 10), done
