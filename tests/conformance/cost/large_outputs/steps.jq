(range(12) | bash("seq \(. + 1) 20000; exit \(if . % 4 == 3 then 1 else 0 end)")), done
