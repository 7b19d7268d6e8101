import { batch, type Signal, signal } from '@preact/signals';

// The end of a sign-in aborts its requests and removes all facts of its account from memory.

const resets: (() => void)[] = [];
let ending = new AbortController();

/** Counts the sign-ins of this page. A new number means another account, or a person who may see less. */
export const signInNumber = signal(0);

/** Aborts when the present sign-in ends. Later answers are dropped. */
export const signInEnd = (): AbortSignal => ending.signal;

/** A signal of facts that belong to the account. The end of the sign-in resets it to its first value. */
export function accountSignal<T>(first: T): Signal<T> {
  const facts = signal(first);
  onSignInEnd(() => {
    facts.value = first;
  });
  return facts;
}

/** Calls `reset` each time a sign-in ends. It is for modules: it cannot be undone. */
export function onSignInEnd(reset: () => void): void {
  resets.push(reset);
}

/** Ends the present sign-in on this page. The next one begins without facts. */
export function endSignIn(): void {
  ending.abort();
  ending = new AbortController();
  batch(() => {
    for (const reset of resets) reset();
    signInNumber.value += 1;
  });
}

/** The id of the account of the present sign-in; undefined: not read yet. */
export const accountId = accountSignal<string | undefined>(undefined);
