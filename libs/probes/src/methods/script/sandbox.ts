import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { mebibyte } from '@vantage/domain';
import {
  compileCacheEnv,
  createMailbox,
  declareShare,
  isBundled,
  type Mailbox,
  siblingProgram,
  usableMemory,
} from '@vantage/kernel';
import { createLineSplitter, cutWords, longestLine } from './lines.ts';

declareShare({
  name: 'lines_of_a_script',
  limit: '1,024 lines, one limit for each script',
  filledBy: 'the script',
  share: 'the script waits',
});

/** The limits of a guest. */
interface GuestLimits {
  /** It ends by itself shortly after this, milliseconds. */
  readonly timeoutMs: number;
  /** Memory of its interpreter, bytes. */
  readonly memoryBytes: number;
}

/** A process that runs one script. Disposing it kills it. */
export interface Guest extends Disposable {
  /** The lines it sends; they end when it is gone. */
  readonly lines: AsyncIterable<string>;
  /** Its process, once the spawner has reported it. */
  readonly pid: number | undefined;
  send(line: string): void;
}

/** Starts guests through one spawner process, which is itself started with the first of them. */
export interface Sandbox extends Disposable {
  start(limits: GuestLimits): Guest;
}

/** How many guests there may be. Further ones wait in a queue. */
export interface SandboxRoom {
  /** At the same time. */
  readonly most: number;
  /** Of these, not ready yet: a process costs its processor time at the start. */
  readonly starting: number;
}

/** Where the code of the two processes lies, and what they may read besides. */
export interface SandboxFiles {
  readonly spawner: string;
  readonly guest: string;
  /** Files and folders (ending in `/`) that a guest may read: its own code and nothing else. */
  readonly readable: readonly string[];
}

const idleMs = 10 * 60_000;
const maxLinesWaiting = 10_000;
/** Bytes that wait for a spawner. */
const maxUnread = 64 * 1024 * 1024;

/**
 * The files in this repository's layout, or beside the bundled agent: there a guest is one file and QuickJS's
 * WebAssembly module.
 */
export function sandboxFiles(): SandboxFiles {
  const { url } = import.meta;
  const folder = path.dirname(fileURLToPath(url));
  const spawner = fileURLToPath(siblingProgram(url, 'spawner'));
  const guest = fileURLToPath(siblingProgram(url, 'guest'));
  if (isBundled(url))
    return { spawner, guest, readable: [guest, path.join(folder, 'emscripten-module.wasm')] };
  const library = createRequire(url).resolve('quickjs-emscripten');
  const modules = library.slice(0, library.lastIndexOf(`${path.sep}quickjs-emscripten${path.sep}`));
  return {
    spawner,
    guest,
    readable: [
      `${folder}/`,
      path.join(folder, '..', '..', '..', 'package.json'),
      `${modules}/quickjs-emscripten/`,
      `${modules}/quickjs-emscripten-core/`,
      `${modules}/@jitl/`,
    ],
  };
}

/** As many guests as the memory that this process may use has room for, and two starting for each processor. */
export function sandboxRoom(): SandboxRoom {
  const most = scriptsAtOnce(usableMemory());
  return { most, starting: Math.max(2, 2 * availableParallelism()) };
}

/**
 * Creates a sandbox; nothing runs before the first `start`. The spawner ends with the agent, or after ten minutes
 * without a script. When there are as many guests as there is room for, the next one waits until one has ended, or is
 * disposed of before it began.
 */
export function createSandbox(files: () => SandboxFiles = sandboxFiles, room = sandboxRoom()): Sandbox {
  let spawner: Spawner | undefined;
  return {
    start(limits) {
      if (!spawner?.alive()) spawner = startSpawner(files(), room);
      return spawner.start(limits);
    },
    [Symbol.dispose]: () => spawner?.[Symbol.dispose](),
  };
}

interface Spawner extends Disposable {
  alive(): boolean;
  start(limits: GuestLimits): Guest;
}

interface Held {
  readonly limits: GuestLimits;
  readonly box: Mailbox<string>;
  state: 'queued' | 'starting' | 'running';
  pid: number | undefined;
}

function startSpawner(files: SandboxFiles, room: SandboxRoom): Spawner {
  const rights = ['--permission', ...files.readable.map((each) => `--allow-fs-read=${each}`)];
  const flags = [...rights, '--disable-proto=delete', '--max-old-space-size=64', '--no-warnings'];
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    ['--no-warnings', files.spawner, files.guest, ...flags],
    { env: compileCacheEnv(), cwd: '/', stdio: ['pipe', 'pipe', 'ignore'], detached: true },
  );
  const guests = new Map<string, Held>();
  let last = 0;
  let alive = true;
  let idle: NodeJS.Timeout | undefined;

  const end = () => {
    alive = false;
    clearTimeout(idle);
    child.stdin.destroy();
    child.kill('SIGKILL');
    for (const { box, pid } of guests.values()) {
      if (pid !== undefined) killQuietly(pid);
      box.close();
    }
    guests.clear();
  };
  const rest = () => {
    clearTimeout(idle);
    if (guests.size === 0) idle = setTimeout(end, idleMs).unref();
  };
  const sendLine = (line: string) => {
    if (!alive) return;
    child.stdin.write(`${line}\n`);
    // A working spawner reads all input, so this one hangs. The next script gets another one.
    if (child.stdin.writableLength > maxUnread) end();
  };
  const inState = (state: Held['state']) =>
    [...guests.values()].filter((each) => each.state === state).length;
  /** Starts waiting guests, the oldest first, while there is room. */
  const admit = () => {
    let starting = inState('starting');
    let free = room.most - starting - inState('running');
    for (const [id, guest] of guests) {
      if (free <= 0 || starting >= room.starting) return;
      if (guest.state !== 'queued') continue;
      guest.state = 'starting';
      starting += 1;
      free -= 1;
      sendLine(`${id} start ${Math.ceil(guest.limits.timeoutMs)} ${guest.limits.memoryBytes}`);
    }
  };
  const forget = (id: string, guest: Held) => {
    guests.delete(id);
    guest.box.close();
    admit();
    rest();
  };
  const onLine = (line: string) => {
    const [id = '', verb = '', text = ''] = cutWords(line, 2);
    const guest = guests.get(id);
    if (!guest) return;
    if (verb === 'pid') guest.pid = Number(text);
    if (verb === 'line') {
      if (!guest.box.offer(text)) sendLine(`${id} kill`);
      if (guest.state === 'starting') {
        guest.state = 'running';
        admit();
      }
    }
    if (line === `${id} end`) forget(id, guest);
  };
  child.on('error', end);
  child.on('close', end);
  child.stdin.on('error', end);
  child.stdout.on('data', createLineSplitter(longestLine, onLine, end));
  // The spawner keeps no agent alive; while a script runs, its check does.
  child.unref();
  for (const stream of [child.stdin, child.stdout]) if (stream instanceof Socket) stream.unref();

  return {
    alive: () => alive,
    start(limits) {
      last += 1;
      const id = String(last);
      const held: Held = { limits, box: createMailbox(maxLinesWaiting), state: 'queued', pid: undefined };
      guests.set(id, held);
      clearTimeout(idle);
      admit();
      return {
        lines: held.box,
        get pid() {
          return held.pid;
        },
        send: (line) => sendLine(`${id} line ${line}`),
        [Symbol.dispose]() {
          held.box.close();
          if (guests.get(id) !== held) return;
          if (held.state === 'queued') {
            forget(id, held);
            return;
          }
          sendLine(`${id} kill`);
          // The spawner may hang.
          if (held.pid !== undefined) killQuietly(held.pid);
        },
      };
    },
    [Symbol.dispose]: end,
  };
}

/** For guests whose spawner died before them. */
function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

/** The memory that an agent needs besides its scripts. */
const ownBytes = 128 * mebibyte;
/** A script's process with the memory that its script may take. */
const scriptBytes = 96 * mebibyte;

/**
 * How many scripts may run at one moment with so much memory (bytes): on a large machine they take a quarter of it, on
 * a small one up to four of them what the agent leaves. One always may. Pure.
 */
export function scriptsAtOnce(memory: number): number {
  const left = Math.floor((memory - ownBytes) / scriptBytes);
  const quarter = Math.floor(memory / (256 * mebibyte));
  return Math.max(1, Math.min(64, Math.max(quarter, Math.min(4, left))));
}
