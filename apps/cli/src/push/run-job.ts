import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { createTailBuffer } from './tail-buffer.ts';

/**
 * The end of a job. `status` is what a shell would report: 128 + the number of a signal, 126 or 127 without a start.
 */
export interface JobEnd {
  readonly status: number;
  /** The last bytes that it wrote to standard output and standard error, in the order of their arrival. */
  readonly output: Buffer;
  /** Why it could not be started. */
  readonly problem?: string;
}

const forwarded = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH'] as const;
const notFound = 127;
const notRunnable = 126;
const signalBase = 128;

/**
 * Runs a job to its end with our standard input, output and error, and passes our signals on to it. With `keepBytes`
 * the end of its output is kept; it is written to ours as it arrives.
 */
export async function runJob(command: readonly string[], keepBytes: number): Promise<JobEnd> {
  const [program = '', ...args] = command;
  const tail = createTailBuffer(Math.max(1, keepBytes));
  const pipe = keepBytes > 0 ? 'pipe' : 'inherit';
  // The job may send a signal before `spawn` returns.
  using signals = catchSignals();
  const child = spawn(program, args, { stdio: ['inherit', pipe, pipe] });
  signals.forwardTo(child);
  child.stdout?.on('data', (chunk: Buffer) => {
    tail.add(chunk);
    process.stdout.write(chunk);
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    tail.add(chunk);
    process.stderr.write(chunk);
  });
  return await new Promise((resolve) => {
    const end = (status: number, problem?: string) =>
      resolve({
        status,
        output: keepBytes > 0 ? tail.read() : Buffer.alloc(0),
        ...(problem !== undefined && { problem }),
      });
    child.once('error', (error: NodeJS.ErrnoException) => {
      const status = error.code === 'ENOENT' ? notFound : notRunnable;
      end(status, `${program} could not be started: ${error.message}`);
    });
    // After `exit` a process that it left behind may keep the pipes open without a limit.
    child.once('exit', (code, signal) => {
      const status = code ?? signalBase + (signal === null ? 0 : constants.signals[signal]);
      if (child.stdout === null) return end(status);
      const limit = setTimeout(() => end(status), drainMs);
      child.once('close', () => {
        clearTimeout(limit);
        end(status);
      });
    });
  });
}

/** Output that was written before the end arrives within this time. */
const drainMs = 1_000;

/** A terminal sends these to the job itself. */
const ofTerminal: ReadonlySet<string> = new Set(['SIGINT', 'SIGQUIT', 'SIGWINCH']);

/** Takes our signals until it is disposed, and passes them on, also those that came before there was a child. */
function catchSignals(): Disposable & { forwardTo(child: ChildProcess): void } {
  let target: ChildProcess | undefined;
  const early: NodeJS.Signals[] = [];
  const listeners = forwarded.map((signal) => ({
    signal,
    listener: () => {
      if (process.stdin.isTTY && ofTerminal.has(signal)) return;
      if (target === undefined) early.push(signal);
      else target.kill(signal);
    },
  }));
  for (const { signal, listener } of listeners) process.on(signal, listener);
  return {
    forwardTo(child) {
      target = child;
      for (const signal of early) child.kill(signal);
    },
    [Symbol.dispose]() {
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}
