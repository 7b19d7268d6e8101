import { useCallback, useEffect, useState } from 'preact/hooks';
import { serverNow } from '../store/clock.ts';

/** The data of a screen and the state of its read. `<ReadState>` shows everything but the data. */
export interface ReadResult<Data> {
  /** The last data that could be read; undefined: none yet. */
  readonly data: Data | undefined;
  /** Why the last read failed. With `data`: why it could not be read again. */
  readonly problem: unknown;
  /** When `data` was read, milliseconds since 1970 by the server's clock. */
  readonly readMs: number;
  /** Reads again. The present data is shown until the new data is there. */
  readonly again: () => void;
}

interface LastRead<Data> {
  readonly data?: Data;
  readonly problem?: unknown;
  readonly readMs?: number;
  /** The keys of `data`. */
  readonly keys?: readonly unknown[];
}

const isSame = (a: readonly unknown[] | undefined, b: readonly unknown[]) =>
  a?.length === b.length && b.every((key, at) => Object.is(key, a[at]));

/**
 * Reads when the screen opens, and again whenever one of `keys` or `triggers` changes. `keys` identify the data: when a
 * read fails, data of other keys is dropped. `triggers` only cause another read of the same data.
 */
export function useRead<Data>(
  read: () => Promise<Data>,
  keys: readonly unknown[],
  triggers: readonly unknown[] = [],
): ReadResult<Data> {
  const [state, setState] = useState<LastRead<Data>>({});
  const [round, setRound] = useState(0);
  const again = useCallback(() => setRound((last) => last + 1), []);
  useEffect(() => {
    let isCurrent = true;
    read().then(
      (data) => isCurrent && setState({ data, readMs: serverNow(), keys }),
      (problem: unknown) =>
        isCurrent && setState((last) => (isSame(last.keys, keys) ? { ...last, problem } : { problem })),
    );
    return () => {
      isCurrent = false;
    };
  }, [...keys, ...triggers, round]);
  return { data: state.data, problem: state.problem, readMs: state.readMs ?? 0, again };
}
