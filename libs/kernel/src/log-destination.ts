import { writeSync } from 'node:fs';
import { messageOf } from './fault.ts';

interface LogDestination {
  /** `line` includes its line break. */
  write(line: string): void;
}

const againMs = 20;
/** After this number of waits in a row the reader counts as stopped, and the program continues without it. */
const maxWaits = 25;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/**
 * The destination of a log. Each line is written when `write` returns, so that a crash loses none. A disk that rejects
 * lines (ENOSPC, EIO) does not end the program: the lines are lost, and `onLost` reports their number when lines are
 * written again. When the output is not ready (EAGAIN, a slow reader of the pipe), `write` waits for at most half a
 * second, because a stopped reader (`less`, a stopped journal) must not stop the program. It does not wait again until
 * the reader accepts bytes.
 */
export function createLogDestination(deps: {
  /** Writes to the descriptor, and returns how many bytes it took. */
  readonly put?: (bytes: Uint8Array) => number;
  /** Blocks the program for `ms` milliseconds. */
  readonly wait?: (ms: number) => void;
  /** Writes a line about the lost lines with `write`. */
  readonly onLost: (lost: number, reason: string) => void;
}): LogDestination {
  const put = deps.put ?? ((bytes) => writeSync(2, bytes));
  const wait = deps.wait ?? ((ms) => void Atomics.wait(sleeper, 0, 0, ms));
  let waits = 0;
  let lost = 0;
  let reason = '';
  let isReporting = false;
  let isReported = false;
  let endsMidLine = false;
  /** Returns whether the whole line was written. */
  const attempt = (line: string): boolean => {
    const bytes = Buffer.from(endsMidLine ? `\n${line}` : line);
    for (let done = 0; done < bytes.length; ) {
      try {
        done += put(bytes.subarray(done));
        waits = 0;
      } catch (error) {
        if (isNotReady(error) && waits < maxWaits) {
          waits += 1;
          wait(againMs);
          continue;
        }
        endsMidLine ||= done > 0;
        reason = messageOf(error);
        return false;
      }
    }
    endsMidLine = false;
    return true;
  };
  return {
    write(line) {
      if (isReporting) {
        isReported = attempt(line);
        return;
      }
      if (lost > 0) {
        isReporting = true;
        isReported = true; // below the log level, onLost writes no line
        deps.onLost(lost, reason);
        isReporting = false;
        if (isReported) lost = 0;
      }
      if (!attempt(line)) lost += 1;
    },
  };
}

function isNotReady(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EINTR');
}
