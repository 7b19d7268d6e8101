import { readdirSync, readFileSync } from 'node:fs';

/** CPU seconds (its own and of children that ended) and resident MiB of a process; zeros after its end. */
export function usage(pid: number): { cpuS: number; rssMib: number } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return {
      cpuS: [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) / 100,
      rssMib: Number(rss?.[1] ?? 0) / 1024,
    };
  } catch {
    return { cpuS: 0, rssMib: 0 };
  }
}

/** Children of a process named postgres, by /proc. */
export function postgresPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres');
      } catch {
        return false;
      }
    });
}

/** A process and its children. */
export function withChildren(pid: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return [pid, ...all.map(Number).filter((each) => parentOf(each) === pid)];
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
