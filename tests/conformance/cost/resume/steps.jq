range(4) | (range(6) | bash("echo \(.); seq 1 500")), done
