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
import { createLineSplitter, cutWords, maxLineBytes } from './lines.ts';

declareShare({
  name: 'lines_of_a_script',
  limit: '1,024 lines, one limit for each script',
  filledBy: 'the script',
  share: 'the script waits',
});

/** The limits of a guest. */
interface GuestLimits {
  /** A guest ends shortly after this time, milliseconds. */
  readonly timeoutMs: number;
  /** The memory of its interpreter, bytes. */
  readonly memoryBytes: number;
}

/** A process that runs one script. Disposing it kills it. */
export interface Guest extends Disposable {
  /** The lines that it sends. They end with the process. */
  readonly lines: AsyncIterable<string>;
  /** Undefined until the spawner has reported it. */
  readonly pid: number | undefined;
  send(line: string): void;
}

/** Starts guests through a spawner process, which starts with the first guest. */
export interface Sandbox extends Disposable {
  start(limits: GuestLimits): Guest;
}

/** The limits of a sandbox. Further guests wait in a queue. */
export interface SandboxLimits {
  readonly maxGuests: number;
  /** Guests that are not ready. Starting a process costs processor time. */
  readonly maxStarting: number;
}

/** The code of the two processes. */
export interface SandboxFiles {
  readonly spawner: string;
  readonly guest: string;
  /** The files and folders (ending in `/`) that a guest may read: only its code. */
  readonly readable: readonly string[];
}

const idleMs = 10 * 60_000;
const maxWaitingLines = 10_000;
/** Bytes that wait for the spawner. */
const maxUnread = 64 * 1024 * 1024;

/** The files in this repository, or next to the bundled agent, where a guest is one file and QuickJS's WebAssembly. */
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

/** Limits by the memory that this process may use, with two starting guests for each processor. */
export function sandboxLimits(): SandboxLimits {
  const maxGuests = maxScripts(usableMemory());
  return { maxGuests, maxStarting: Math.max(2, 2 * availableParallelism()) };
}

/**
 * Creates a sandbox. Nothing runs before the first `start`. The spawner ends with the agent, or after ten minutes
 * without a script. At the limit, the next guest waits until another ends; it may be disposed of before it starts.
 */
export function createSandbox(files: () => SandboxFiles = sandboxFiles, limits = sandboxLimits()): Sandbox {
  let spawner: Spawner | undefined;
  return {
    start(guestLimits) {
      if (!spawner?.alive()) spawner = startSpawner(files(), limits);
      return spawner.start(guestLimits);
    },
    [Symbol.dispose]: () => spawner?.[Symbol.dispose](),
  };
}

interface Spawner extends Disposable {
  alive(): boolean;
  start(limits: GuestLimits): Guest;
}

interface GuestEntry {
  readonly limits: GuestLimits;
  readonly box: Mailbox<string>;
  state: 'queued' | 'starting' | 'running';
  pid: number | undefined;
}

function startSpawner(files: SandboxFiles, { maxGuests, maxStarting }: SandboxLimits): Spawner {
  const rights = ['--permission', ...files.readable.map((file) => `--allow-fs-read=${file}`)];
  const flags = [...rights, '--disable-proto=delete', '--max-old-space-size=64', '--no-warnings'];
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    ['--no-warnings', files.spawner, files.guest, ...flags],
    { env: compileCacheEnv(), cwd: '/', stdio: ['pipe', 'pipe', 'ignore'], detached: true },
  );
  const guests = new Map<string, GuestEntry>();
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
  const startIdleTimer = () => {
    clearTimeout(idle);
    if (guests.size === 0) idle = setTimeout(end, idleMs).unref();
  };
  const sendLine = (line: string) => {
    if (!alive) return;
    child.stdin.write(`${line}\n`);
    // This spawner hangs, because a working one reads all input. The next script gets a new one.
    if (child.stdin.writableLength > maxUnread) end();
  };
  const inState = (state: GuestEntry['state']) =>
    [...guests.values()].filter((guest) => guest.state === state).length;
  /** Starts waiting guests, the oldest first, up to the limits. */
  const startWaiting = () => {
    let starting = inState('starting');
    let free = maxGuests - starting - inState('running');
    for (const [id, guest] of guests) {
      if (free <= 0 || starting >= maxStarting) return;
      if (guest.state !== 'queued') continue;
      guest.state = 'starting';
      starting += 1;
      free -= 1;
      sendLine(`${id} start ${Math.ceil(guest.limits.timeoutMs)} ${guest.limits.memoryBytes}`);
    }
  };
  const forget = (id: string, guest: GuestEntry) => {
    guests.delete(id);
    guest.box.close();
    startWaiting();
    startIdleTimer();
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
        startWaiting();
      }
    }
    if (line === `${id} end`) forget(id, guest);
  };
  child.on('error', end);
  child.on('close', end);
  child.stdin.on('error', end);
  child.stdout.on('data', createLineSplitter(maxLineBytes, onLine, end));
  // The spawner does not keep the agent alive. While a script runs, its check does.
  child.unref();
  for (const stream of [child.stdin, child.stdout]) if (stream instanceof Socket) stream.unref();

  return {
    alive: () => alive,
    start(limits) {
      last += 1;
      const id = String(last);
      const guest: GuestEntry = {
        limits,
        box: createMailbox(maxWaitingLines),
        state: 'queued',
        pid: undefined,
      };
      guests.set(id, guest);
      clearTimeout(idle);
      startWaiting();
      return {
        lines: guest.box,
        get pid() {
          return guest.pid;
        },
        send: (line) => sendLine(`${id} line ${line}`),
        [Symbol.dispose]() {
          guest.box.close();
          if (guests.get(id) !== guest) return;
          if (guest.state === 'queued') {
            forget(id, guest);
            return;
          }
          sendLine(`${id} kill`);
          // The spawner may hang.
          if (guest.pid !== undefined) killQuietly(guest.pid);
        },
      };
    },
    [Symbol.dispose]: end,
  };
}

/** Kills a guest whose spawner hangs or has died. */
function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}

/** The memory of an agent without its scripts. */
const agentBytes = 128 * mebibyte;
/** The memory of a script's process. */
const scriptBytes = 96 * mebibyte;

/**
 * The number of concurrent scripts for this memory, bytes. On a large machine they use a quarter of it; on a small one,
 * up to four scripts use what the agent leaves. One script may always run. Pure.
 */
export function maxScripts(memory: number): number {
  const byRest = Math.floor((memory - agentBytes) / scriptBytes);
  const byQuarter = Math.floor(memory / (256 * mebibyte));
  return Math.max(1, Math.min(64, Math.max(byQuarter, Math.min(4, byRest))));
}
