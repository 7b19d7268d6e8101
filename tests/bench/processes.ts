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

/** A process and all below it. */
export function withChildren(pid: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = Map.groupBy(all.map(Number), parentOf);
  const below = (parent: number): number[] => [parent, ...(children.get(parent) ?? []).flatMap(below)];
  return below(pid);
}

/** Open files and sockets of a process; 0 after its end, or where we may not look. */
export function descriptors(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** The part of each process in its memory (PSS, MiB): all of it, its own, and shared memory; zeros as above. */
export function portions(pid: number): { pssMib: number; ownMib: number; sharedMib: number } {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const mib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024;
    return { pssMib: mib('Pss'), ownMib: mib('Pss_Anon'), sharedMib: mib('Pss_Shmem') };
  } catch {
    return { pssMib: 0, ownMib: 0, sharedMib: 0 };
  }
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
