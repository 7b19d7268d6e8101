import { useCallback, useEffect, useState } from 'preact/hooks';
import { serverNow } from '../store/clock.ts';

/** Data of one screen, as far as it is read. `<ReadState>` shows all of it but the data. */
export interface Read<Data> {
  /** The newest that could be read; undefined: nothing yet. */
  readonly data: Data | undefined;
  /** Why it could not be read; beside `data`, why it could not be read again. */
  readonly problem: unknown;
  /** When `data` was read, milliseconds since 1970 by the server's clock. */
  readonly readMs: number;
  /** Reads it again; what is shown stays until then. */
  readonly again: () => void;
}

interface State<Data> {
  readonly data?: Data;
  readonly problem?: unknown;
  readonly readMs?: number;
  /** The keys of `data`. */
  readonly keys?: readonly unknown[];
}

const isSame = (a: readonly unknown[] | undefined, b: readonly unknown[]) =>
  a?.length === b.length && b.every((key, at) => Object.is(key, a[at]));

/**
 * Reads when the screen opens, and again whenever one of `keys` or `triggers` changes. `keys` say what is read: data of
 * other keys is not kept when the read fails. `triggers` only say when.
 */
export function useRead<Data>(
  read: () => Promise<Data>,
  keys: readonly unknown[],
  triggers: readonly unknown[] = [],
): Read<Data> {
  const [state, setState] = useState<State<Data>>({});
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
