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
  summary.fail('b.test.ts', 'Cannot find module');
  expect(summary.text()).toMatch(/without a reason[\s\S]*\n0 passed, 2 failed, 1 skipped$/);
});

test('the failures are named again with the begin of their messages, also those outside of tests', () => {
  const summary = createSummary();
  expect(summary.failures()).toBe('');
  summary.add(outcome({ name: 'good.test.ts > holds' }));
  summary.add(outcome({ state: 'failed', errors: [`expected 1 to be 2\n${'x'.repeat(5_000)}`] }));
  summary.fail('b.test.ts', 'Cannot find module');
  const text = summary.failures();
  expect(text).toMatch(/^ {2}a\.test\.ts > holds\n {4}expected 1 to be 2\n/);
  expect(text).toMatch(/… \(\d+ more characters\)\n {2}b\.test\.ts\n {4}Cannot find module$/);
  expect(text).not.toContain('good.test.ts');
  expect(text.length).toBeLessThan(2_000);
});

test('of many failures the first fifty are named again', () => {
  const summary = createSummary();
  for (let i = 0; i < 60; i += 1) summary.fail(`file ${i}`, 'message');
  expect(summary.failures().split('\n')).toHaveLength(101);
  expect(summary.failures()).toMatch(/\n {2}… and 10 more$/);
});
