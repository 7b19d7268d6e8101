import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Limits the memory of a process and its children, by the kernel where that is allowed, else by samples. */
export interface MemoryLimit extends Disposable {
  readonly how: 'cgroup v1' | 'cgroup v2' | 'RSS samples';
  readonly limitBytes: number;
  /** The command that starts the process under the limit. */
  command(argv: readonly string[]): string[];
  /** The process that the command started. */
  watch(pid: number): void;
  /** The most memory that it and its children used at the same time, without the file cache. */
  readonly peakBytes: number;
  /** The number of processes that the kernel ended because of the limit. */
  readonly kills: number;
}

/** The files of a kernel's control groups. */
interface Kind {
  readonly how: 'cgroup v1' | 'cgroup v2';
  readonly root: string;
  /** A file that exists only where this kind is mounted. */
  readonly rootFile: string;
  readonly limits: readonly (readonly [file: string, value: (bytes: number) => string, mustExist: boolean])[];
  /** The file with the counts, and the names of the used memory and of the kills in it. */
  readonly used: { readonly file: string; readonly name: string };
  readonly kills: { readonly file: string; readonly name: string };
}

const kinds: readonly Kind[] = [
  {
    how: 'cgroup v1',
    root: '/sys/fs/cgroup/memory',
    rootFile: 'memory.limit_in_bytes',
    limits: [
      ['memory.limit_in_bytes', String, true],
      ['memory.memsw.limit_in_bytes', String, false],
      ['memory.swappiness', () => '0', false],
    ],
    used: { file: 'memory.stat', name: 'total_rss' },
    kills: { file: 'memory.oom_control', name: 'oom_kill' },
  },
  {
    how: 'cgroup v2',
    root: '/sys/fs/cgroup',
    rootFile: 'cgroup.controllers',
    limits: [
      ['memory.max', String, true],
      ['memory.swap.max', () => '0', false],
    ],
    used: { file: 'memory.stat', name: 'anon' },
    kills: { file: 'memory.events', name: 'oom_kill' },
  },
];

const sampleMs = 250;

/** Creates a limit. Dispose of it after its processes ended; this removes the kernel's control group. */
export function limitMemory(name: string, limitBytes: number): MemoryLimit {
  const group = openGroup(name, limitBytes);
  let pid = 0;
  let peakBytes = 0;
  const used = () => (group ? readCount(group.folder, group.kind.used) : treeBytes(pid));
  const sample = () => {
    if (pid !== 0) peakBytes = Math.max(peakBytes, used());
  };
  const timer = setInterval(sample, sampleMs);
  timer.unref();
  return {
    how: group?.kind.how ?? 'RSS samples',
    limitBytes,
    command: (argv) =>
      group ? ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', group.folder, ...argv] : [...argv],
    watch(next) {
      pid = next;
    },
    get peakBytes() {
      sample();
      return peakBytes;
    },
    get kills() {
      return group ? readCount(group.folder, group.kind.kills) : 0;
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      if (!group) return;
      try {
        rmdirSync(group.folder);
      } catch {
        // A process in it is still ending; an empty group costs nothing.
      }
    },
  };
}

function openGroup(name: string, bytes: number) {
  for (const kind of kinds) {
    if (!existsSync(path.join(kind.root, kind.rootFile))) continue;
    const folder = path.join(kind.root, `vantage-attacks-${process.pid}-${name}`);
    try {
      mkdirSync(folder);
      for (const [file, value, mustExist] of kind.limits) {
        const full = path.join(folder, file);
        if (mustExist || existsSync(full)) writeFileSync(full, value(bytes), { flag: 'r+' });
      }
      readFileSync(path.join(folder, kind.used.file));
      return { kind, folder };
    } catch {
      // Not allowed, or the kernel cannot limit memory below this group; samples replace the limit then.
      if (existsSync(folder)) rmdirSync(folder);
    }
  }
  return undefined;
}

function readCount(folder: string, { file, name }: { readonly file: string; readonly name: string }): number {
  const line = readFileSync(path.join(folder, file), 'utf8').match(new RegExp(`^${name} (\\d+)$`, 'm'));
  return Number(line?.[1] ?? 0);
}

/** Resident bytes of a process and its descendants, from /proc. */
function treeBytes(pid: number): number {
  const parents = new Map<number, number>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = /^PPid:\s+(\d+)$/m.exec(statusOf(Number(entry)))?.[1];
    if (parent !== undefined) parents.set(Number(entry), Number(parent));
  }
  const tree = new Set([pid]);
  for (let grown = true; grown; ) {
    const before = tree.size;
    for (const [child, parent] of parents) if (tree.has(parent)) tree.add(child);
    grown = tree.size > before;
  }
  return [...tree].reduce((sum, one) => sum + residentBytes(one), 0);
}

function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(statusOf(pid))?.[1] ?? 0) * 1024;
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}
