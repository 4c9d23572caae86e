// Each program has its own process ID namespace, so every process in it belongs to it.
import { readdirSync, readFileSync } from 'node:fs';

const read = (pid, name) => {
  try { return readFileSync(`/proc/${pid}/${name}`, 'utf8'); } catch { return ''; }
};
const parent = (pid) => Number(/^PPid:\s*(\d+)/m.exec(read(pid, 'status'))?.[1] ?? 0);
const isZombie = (pid) => /^State:\s*Z/m.test(read(pid, 'status'));

// The command lines of the processes that are neither this one nor above it nor the mock.
export function others(mock) {
  const ours = new Set([mock]);
  for (let pid = process.pid; pid > 0; pid = parent(pid)) ours.add(pid);
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number)
    .filter((pid) => !ours.has(pid) && !isZombie(pid))
    .map((pid) => read(pid, 'cmdline').replaceAll('\0', ' ').trim())
    .filter((line) => line);
}
