import type { Signal } from '@preact/signals';
import type { ExpectedChange } from '../model/expectations.ts';

/**
 * Shows the expected effect of a change while it runs. Afterwards the facts of the API are shown again, so the effect
 * of a refused change disappears.
 */
export async function whileExpecting<Facts extends object, Done>(
  expectations: Signal<readonly ExpectedChange<Facts>[]>,
  added: readonly ExpectedChange<Facts>[],
  change: () => Promise<Done>,
): Promise<Done> {
  expectations.value = [...expectations.value, ...added];
  try {
    return await change();
  } finally {
    expectations.value = expectations.value.filter((expectation) => !added.includes(expectation));
  }
}
