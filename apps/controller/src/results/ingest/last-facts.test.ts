import { expect, test } from 'vitest';
import { createLastFacts } from './last-facts.ts';

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

test('all is kept up to the limit; above it those with the most are forgotten, down to three quarters', () => {
  // Each of these facts takes 500 bytes.
  const last = createLastFacts(4_000);
  const add = (agent_no: number, ...devices: number[]) => {
    for (const device_no of devices) last.set({ agent_no, device_no }, facts('x'.repeat(150)));
  };
  const known = () =>
    [1, 2, 3, 4].map((agent_no) => [1, 2, 3].filter((device_no) => last.get({ agent_no, device_no })).length);
  add(1, 1, 2, 3);
  add(2, 1, 2);
  add(3, 1, 2);
  add(4, 1);
  expect([last.bytes, known()]).toEqual([4_000, [3, 2, 2, 1]]);
  add(4, 2);
  expect([last.bytes, known()]).toEqual([3_000, [0, 2, 2, 2]]);
  add(4, 3);
  add(1, 1, 2);
  expect([last.bytes, known()]).toEqual([3_000, [2, 2, 2, 0]]);
});
