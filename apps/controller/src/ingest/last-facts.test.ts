import { expect, test } from 'vitest';
import { createLastFacts } from './facts.ts';

const facts = (text: string) => ({ dayUs: 0, text, extended: null, factsNo: null });

test('an agent with long texts is forgotten, and those with short ones are kept', () => {
  const limitBytes = 1024 * 1024;
  const last = createLastFacts(limitBytes);
  for (let no = 0; no < 100; no += 1) last.set({ agent_no: 1, device_no: no }, facts('200 OK'));
  for (let no = 0; no < 5000; no += 1) {
    last.set({ agent_no: 2, device_no: no }, facts('x'.repeat(4096)));
    expect(last.bytes).toBeLessThanOrEqual(limitBytes);
  }
  for (let no = 0; no < 100; no += 1) expect(last.get({ agent_no: 1, device_no: no })?.text).toBe('200 OK');
  expect(last.get({ agent_no: 2, device_no: 0 })).toBeUndefined();
});

test('facts that replace others count once', () => {
  const last = createLastFacts(1024 * 1024);
  last.set({ agent_no: 1, device_no: 1 }, facts('200 OK'));
  const { bytes } = last;
  for (let no = 0; no < 1000; no += 1) last.set({ agent_no: 1, device_no: 1 }, facts(`${no}`.padEnd(6)));
  expect(last.bytes).toBe(bytes);
});
