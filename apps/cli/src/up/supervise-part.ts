import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Backoff, backoffMs, limitLogFile, readLogEnd } from '@vantage/kernel';
import { type SystemPart, startOf } from '../program-part.ts';
import { identify, type ProcessId } from './process-id.ts';

/** A part that is restarted whenever it dies. */
export interface SupervisedPart {
  /** The running process. */
  current(): ProcessId | undefined;
  /** Requests the process to end. It is not restarted. */
  end(): void;
}

export interface ChildEvents {
  onStart(id: ProcessId): void;
  onMessage(message: unknown): void;
  /** The process ended without a request. `errors` are its last log entries. It is restarted in `restartInMs`. */
  onDeath(death: { readonly how: string; readonly errors: string; readonly restartInMs: number }): void;
}

const backoff: Backoff = { baseMs: 400, capMs: 10_000 };
/** A part that ran this long is restarted at once. */
const healthyMs = 60_000;
/** The interval between two checks of the log's size. */
const logCheckMs = 1_000;

/**
 * Starts a part, and restarts it when it dies. Its log goes to `<logDir>/<part>.log`, which is renamed to `.1` when it
 * is too long. The part gets its own process group, so that a signal to our group reaches it only through us. It ends
 * when our process ends, because the IPC channel closes.
 */
export function supervise(deps: {
  readonly part: SystemPart;
  readonly env: () => NodeJS.ProcessEnv;
  readonly logDir: string;
  readonly events: ChildEvents;
}): SupervisedPart {
  const { part, events } = deps;
  const logFile = path.join(deps.logDir, `${part}.log`);
  let child: ChildProcess | undefined;
  let id: ProcessId | undefined;
  let ending = false;
  let failures = 0;
  let waiting: NodeJS.Timeout | undefined;
  const start = () => {
    const from = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
    const log = openLog(deps.logDir, logFile);
    const startedMs = performance.now();
    const { args, env } = startOf(part, deps.env());
    const running = spawn(process.execPath, args, {
      env,
      stdio: ['ignore', log ?? 'ignore', log ?? 'ignore', 'ipc'],
      detached: true,
    });
    if (log !== undefined) closeSync(log);
    child = running;
    if (running.pid !== undefined) {
      id = identify(running.pid);
      events.onStart(id);
    }
    running.on('message', (message) => events.onMessage(message));
    const died = (how: string) => {
      if (child !== running) return;
      child = undefined;
      id = undefined;
      if (ending) return;
      failures = performance.now() - startedMs > healthyMs ? 0 : failures + 1;
      const restartInMs = failures === 0 ? 0 : 100 + backoffMs(failures - 1, backoff, Math.random);
      waiting = setTimeout(start, restartInMs);
      // The part is restarted even if the log cannot be read.
      void readLogEnd(logFile, from)
        .catch(() => '')
        .then((text) => events.onDeath({ how, errors: lastErrors(text), restartInMs }));
    };
    running.once('error', (error) => died(error.message));
    running.once('exit', (code, signal) => died(signal ?? `code ${code}`));
  };
  start();
  let isLimiting = false;
  const limiting = setInterval(() => {
    if (isLimiting) return;
    isLimiting = true;
    void limitLogFile(logFile)
      .catch(() => {}) // checked again in a second
      .finally(() => {
        isLimiting = false;
      });
  }, logCheckMs);
  limiting.unref();
  return {
    current: () => id,
    end() {
      ending = true;
      clearTimeout(waiting);
      clearInterval(limiting);
      child?.kill('SIGTERM');
    },
  };
}

/** Opens a log for appending. Undefined where the disk refuses: the part then runs without a log. */
function openLog(folder: string, file: string): number | undefined {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return openSync(file, 'a', 0o600);
  } catch {
    return undefined;
  }
}

/** The last errors of a log for people: the messages of JSON lines of level error and above, else the last lines. */
export function lastErrors(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const messages = lines.flatMap((line): string[] => {
    try {
      const entry: unknown = JSON.parse(line);
      if (entry === null || typeof entry !== 'object' || !('msg' in entry) || !('level' in entry)) return [];
      return Number(entry.level) >= 50 ? [String(entry.msg)] : [];
    } catch {
      return [];
    }
  });
  return (messages.length > 0 ? messages.slice(-10) : lines.slice(-10)).join('\n');
}
