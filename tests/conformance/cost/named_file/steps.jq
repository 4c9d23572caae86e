small_turns(0; 5), done
