/** The statements of one connection that wait for an answer, and their limit. */
export interface StatementLimit {
  /** Notes a statement that was sent; `answer` settles with its answer, and is returned. */
  of<T>(answer: Promise<T>): Promise<T>;
  close(): void;
}

/**
 * Creates the limit of one connection. The server answers the statements of a pipeline one after the other, so only the
 * first of them can be late: its time begins when it is sent, or with the answer before it. After `limitMs` without an
 * answer, or a byte of it, `isRunning` asks the server about it over another connection. A statement that still runs
 * has a longer limit there (a migration, a commit that waits for a replica) and gets the same time again; otherwise
 * `cut` breaks the connection. A process that was stopped for a while reads the answer before it asks.
 */
export function createStatementLimit({
  limitMs,
  bytesRead,
  isRunning,
  cut,
}: {
  readonly limitMs: number;
  /** The bytes that arrived on the connection so far. */
  readonly bytesRead: () => number;
  readonly isRunning: () => Promise<boolean>;
  readonly cut: () => void;
}): StatementLimit {
  let waiting = 0;
  /** Since when the first statement is at work, on the monotonic clock, and the bytes that had arrived then. */
  let since = { ms: 0, bytes: 0 };
  /** One timer serves many statements: most have their answer long before. */
  let timer: NodeJS.Timeout | undefined;
  let isChecking = false;

  const restart = () => {
    since = { ms: performance.now(), bytes: bytesRead() };
  };
  const answered = () => {
    waiting -= 1;
    if (waiting > 0) restart();
  };
  const checkIn = (ms: number) => {
    timer = setTimeout(() => void check(), ms);
    timer.unref();
  };
  const isLate = async (): Promise<boolean> => {
    if (bytesRead() > since.bytes) return false;
    const first = since;
    const runs = await isRunning().catch(() => false);
    return !runs && waiting > 0 && since === first && bytesRead() === first.bytes;
  };
  const check = async () => {
    timer = undefined;
    if (waiting === 0) return;
    const leftMs = since.ms + limitMs - performance.now();
    if (leftMs > 0) return checkIn(leftMs);
    isChecking = true;
    if (await isLate()) cut();
    else if (waiting > 0) {
      if (performance.now() - since.ms >= limitMs) restart();
      checkIn(limitMs);
    }
    isChecking = false;
  };

  return {
    of(answer) {
      if (waiting === 0) restart();
      waiting += 1;
      answer.then(answered, answered);
      if (timer === undefined && !isChecking) checkIn(limitMs);
      return answer;
    },
    close() {
      clearTimeout(timer);
    },
  };
}
