small_turns(0; 20), done
