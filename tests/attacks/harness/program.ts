import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { programEnv } from '@vantage/kernel/testing';
import { limitMemory, type MemoryLimit } from './memory-limit.ts';
import { putAhead } from './priority.ts';

/** The size of a program's log. */
interface LogCount {
  readonly lines: number;
  readonly bytes: number;
  readonly maxLineBytes: number;
}

/** A controller or an agent under a limit of memory. Disposing ends it. */
export interface Program extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly memory: MemoryLimit;
  /** The log since the start, or since the last call. */
  takeLog(): LogCount;
  /** The end of its log. */
  readonly tail: string;
  readonly ended: boolean;
}

const tailBytes = 60_000;

/** Starts a program of the repository; its settings are `env` alone. */
export function startProgram(options: {
  readonly name: string;
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limitBytes: number;
}): Program {
  const memory = limitMemory(options.name, options.limitBytes);
  const [program = '', ...args] = memory.command([process.execPath, options.file]);
  const child = spawn(program, args, {
    env: { ...programEnv(), ...options.env },
    // The program ends when this channel closes, so a killed test leaves no program behind.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  memory.watch(child.pid ?? 0);
  if (child.pid !== undefined) putAhead(child.pid);
  let count = { lines: 0, bytes: 0, maxLineBytes: 0 };
  let tail = '';
  const read = (stream: Readable | null) => {
    if (!stream) return;
    createInterface({ input: stream }).on('line', (line) => {
      const bytes = Buffer.byteLength(line) + 1;
      count = {
        lines: count.lines + 1,
        bytes: count.bytes + bytes,
        maxLineBytes: Math.max(count.maxLineBytes, bytes),
      };
      tail = `${tail}${line.slice(0, 2_000)}\n`.slice(-tailBytes);
    });
  };
  read(child.stdout);
  read(child.stderr);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    process: child,
    memory,
    takeLog() {
      const taken = count;
      count = { lines: 0, bytes: 0, maxLineBytes: 0 };
      return taken;
    },
    get tail() {
      return tail;
    },
    get ended() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        const late = setTimeout(() => child.kill('SIGKILL'), 8_000);
        await ended;
        clearTimeout(late);
      }
      memory[Symbol.dispose]();
    },
  };
}
