import type { Signal } from '@preact/signals';
import type { Expectation } from '../model/expectations.ts';

/**
 * Shows what a change makes of things while it is under way. Afterwards what was read from the API is shown again, so
 * a refused change disappears by itself.
 */
export async function whileExpecting<Facts extends object, Done>(
  expectations: Signal<readonly Expectation<Facts>[]>,
  own: readonly Expectation<Facts>[],
  change: () => Promise<Done>,
): Promise<Done> {
  expectations.value = [...expectations.value, ...own];
  try {
    return await change();
  } finally {
    expectations.value = expectations.value.filter((each) => !own.includes(each));
  }
}
