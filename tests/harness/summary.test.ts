import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSummary, type Outcome } from './summary.ts';

const outcome = (more: Partial<Outcome>): Outcome => ({
  name: 'a.test.ts > holds',
  state: 'passed',
  errors: [],
  retries: 0,
  asks: 0,
  ...more,
});

test('the summary shows the seed and path of a failed property, so that a developer can run it again', () => {
  const summary = createSummary();
  let message = '';
  try {
    fc.assert(
      fc.property(fc.integer(), (n) => n < 100),
      { seed: 7 },
    );
  } catch (error) {
    message = error instanceof Error ? error.message : '';
  }
  summary.add(outcome({ state: 'failed', errors: [message] }));
  expect(summary.failed).toBe(1);
  expect(summary.text()).toContain('seed: 7');
  expect(summary.text()).toMatch(/path: "[\d:]+"/);
  expect(summary.text()).toContain('Counterexample');
});

test('the summary names a test that passed at a second try, with its reason and the whole message of its failure', () => {
  const summary = createSummary();
  summary.add(outcome({ retries: 1, asks: 1, reason: 'a real server', errors: ['first line\nsecond line'] }));
  expect(summary.text()).toContain('a.test.ts > holds (may be tried again: a real server)');
  expect(summary.text()).toContain('second line');
  expect(summary.text()).toMatch(/\n1 passed, 0 failed, 0 skipped$/);
});

test('a test that asks for a second try without a reason counts as failed', () => {
  const summary = createSummary();
  summary.add(outcome({ asks: 1 }));
  summary.add(outcome({ state: 'skipped', note: 'no root' }));
  summary.fail(1);
  expect(summary.text()).toMatch(/without a reason[\s\S]*\n0 passed, 2 failed, 1 skipped$/);
});
