import { expect, test } from 'vitest';
import { createWorkReader } from './work-reader.ts';

test.each([
  [false, 0, false],
  [false, 1, true],
  [true, 0, true],
])(
  'ingest has work where its own waits (%s) or %i batches of agents wait: %s',
  (isWaiting, waitingBatches, isExpected) => {
    const read = createWorkReader({
      ingest: () => ({ done: 3, isWaiting }),
      gateway: { load: { waitingBatches } },
      health: { rounds: 4 },
      notify: { rounds: 5 },
    });
    expect(read()).toEqual({
      ingest: { done: 3, isWaiting: isExpected },
      status: { done: 4, isWaiting: true },
      deliveries: { done: 5, isWaiting: true },
    });
  },
);
