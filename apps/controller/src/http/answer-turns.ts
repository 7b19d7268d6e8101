import { declareState } from '@vantage/kernel';

/**
 * Lets answers be rendered one in each round of the event loop, the accounts in turn. Where one caller has many great answers ready at one
 * moment, those of others are rendered between them, and new connections are accepted meanwhile.
 */
export interface AnswerTurns {
  /** Resolves when an answer of this account may be rendered; 0: of nobody's. */
  readonly take: (accountNo: number) => Promise<void>;
}

const tracked = declareState({
  name: 'answers_to_render',
  entries: { each: 'account with answers that wait to be rendered' },
  entryBytes: 300,
  filledBy: 'keys',
  atBound: 'the requests that keys may have under way',
});

/** Creates the turns. An account is remembered only while an answer of it waits. */
export function createAnswerTurns(): AnswerTurns {
  // A Map keeps the order in which accounts came; who had a turn goes to the end.
  const waiting = tracked(new Map<number, (() => void)[]>());
  let isGoingOn = false;
  const next = (): void => {
    const [first] = waiting;
    if (first === undefined) {
      isGoingOn = false;
      return;
    }
    const [accountNo, [render, ...others]] = first;
    waiting.delete(accountNo);
    if (others.length > 0) waiting.set(accountNo, others);
    setImmediate(next);
    render?.();
  };
  return {
    take(accountNo) {
      return new Promise((resolve) => {
        waiting.set(accountNo, [...(waiting.get(accountNo) ?? []), resolve]);
        if (isGoingOn) return;
        isGoingOn = true;
        setImmediate(next);
      });
    },
  };
}
