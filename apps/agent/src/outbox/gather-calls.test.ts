import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openTestOutbox as open, resultRecord as result } from '../testing/outbox-fixture.ts';

const root = mkdtempSync(path.join(tmpdir(), 'vantage-outbox-'));

afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
const newFolder = () => path.join(root, String(folders++));

test('acks that come while the disk works are one job, and a history that is read in between divides them', async () => {
  await using outbox = await open(newFolder());
  outbox.setOnline(true);
  for (let i = 1; i <= 3; i += 1) outbox.append(result(i));
  await outbox.flushed();
  const [a, b, c] = outbox.nextNew(3);
  if (a === undefined || b === undefined || c === undefined) throw new Error('there are three records');
  const [first, second] = [outbox.ack([a]), outbox.ack([b])];
  expect(second).toBe(first);
  const again = outbox.sendAgain(new Map());
  const third = outbox.ack([c]);
  expect(third).not.toBe(first);
  await Promise.all([first, again, third]);
  expect(outbox.records).toBe(0);
});
