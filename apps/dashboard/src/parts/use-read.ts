import { useCallback, useEffect, useState } from 'preact/hooks';

/** Reads data for one screen. */
export interface Read<Data> {
  readonly data: Data | undefined;
  readonly problem: unknown;
  /** Reads it again; what is shown stays until then. */
  readonly again: () => void;
}

/** Reads when the screen opens and whenever one of `keys` changes. */
export function useRead<Data>(read: () => Promise<Data>, keys: readonly unknown[]): Read<Data> {
  const [state, setState] = useState<{ data?: Data; problem?: unknown }>({});
  const [round, setRound] = useState(0);
  const again = useCallback(() => setRound((last) => last + 1), []);
  useEffect(() => {
    let isCurrent = true;
    read().then(
      (data) => isCurrent && setState({ data }),
      (problem: unknown) => isCurrent && setState((last) => ({ ...last, problem })),
    );
    return () => {
      isCurrent = false;
    };
  }, [...keys, round]);
  return { data: state.data, problem: state.problem, again };
}
