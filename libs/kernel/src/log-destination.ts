import { writeSync } from 'node:fs';
import { messageOf } from './fault.ts';

/** Takes the lines of a log, each with its line break. */
interface LogDestination {
  write(line: string): void;
}

const againMs = 20;
/** A reader that takes nothing during these waits has stopped, and the program continues without it. */
const maxWaits = 25;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/**
 * The destination of a log: each line is out when `write` returns, so that a crash loses none. A disk that refuses
 * lines (ENOSPC, EIO) does not end the program: the lines are lost, and `onLost` tells their number when lines are
 * written again. Output that is not ready (EAGAIN, a pipe that is read slowly) is waited for, half a second at most:
 * a reader that has stopped (`less`, a stopped journal) must not stop the program. Then nothing is waited for until the
 * reader takes bytes again.
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
  let isTelling = false;
  let isTold = false;
  let isTorn = false;
  /** Whether the line is out whole. */
  const attempt = (line: string): boolean => {
    // The rest of a line that the disk cut must not stand before this one.
    const bytes = Buffer.from(isTorn ? `\n${line}` : line);
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
        isTorn ||= done > 0;
        reason = messageOf(error);
        return false;
      }
    }
    isTorn = false;
    return true;
  };
  return {
    write(line) {
      if (isTelling) {
        isTold = attempt(line);
        return;
      }
      if (lost > 0) {
        isTelling = true;
        isTold = true; // a level that is not logged is told by nothing
        deps.onLost(lost, reason);
        isTelling = false;
        if (isTold) lost = 0;
      }
      if (!attempt(line)) lost += 1;
    },
  };
}

function isNotReady(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EINTR');
}
