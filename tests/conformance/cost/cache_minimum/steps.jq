# A model whose shortest prefix in the cache is long.
small_turns(0; 25), done
