import { signInEnd } from './present-sign-in.ts';

/**
 * A read of which several can run at the same time. An answer is dropped if a later read is already shown, or if its
 * sign-in has ended. Rejects with the error of `read`.
 */
export function inOrder<Args extends readonly unknown[], Facts>(
  read: (...args: Args) => Promise<Facts>,
  show: (facts: Facts) => void,
): (...args: Args) => Promise<void> {
  let started = 0;
  let shown = 0;
  return async (...args) => {
    started += 1;
    const number = started;
    const end = signInEnd();
    const facts = await read(...args);
    if (number < shown || end.aborted) return;
    shown = number;
    show(facts);
  };
}
