import { cpSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  gapsOf,
  onlySegment,
  openTestOutbox as open,
  resultRecord as result,
  startsOf,
  useOutboxFolders,
} from '../testing/outbox-fixture.ts';

const newFolder = useOutboxFolders();

test('after a kill the records without ack are found again, and a full segment of acknowledged ones is gone', async () => {
  const folder = newFolder();
  const before = await open(folder);
  before.setOnline(true);
  for (let i = 1; i <= 20; i += 1) {
    before.append(result(i, 100_000));
    await before.flushed();
  }
  const taken = before.nextNew(100);
  await before.ack(taken.slice(0, 15));
  const copy = copyOf(folder);
  await using after = await open(copy);
  expect(readdirSync(copy).filter((name) => name.endsWith('.seg'))).toHaveLength(1);
  after.setOnline(true);
  const found = startsOf(await after.nextBacklog(100));
  expect(found.slice(-5)).toEqual([16, 17, 18, 19, 20]);
  expect(found).not.toContain(1);
  await before[Symbol.asyncDispose]();
});

test('an outbox cut at any byte opens, gives all whole records and reports exactly how many are missing', async () => {
  const folder = newFolder();
  const whole = await open(folder);
  for (let i = 1; i <= 5; i += 1) whole.append(result(i));
  await whole.flushed();
  const file = onlySegment(folder);
  const size = readFileSync(file).length;
  for (let cut = 0; cut <= size; cut += 1) {
    const copy = copyOf(folder);
    truncateSync(onlySegment(copy), cut);
    const outbox = await open(copy);
    outbox.setOnline(true);
    const found = startsOf(await outbox.nextBacklog(100));
    const gaps = gapsOf(outbox.nextNew(100));
    const whole = Math.floor(cut / (size / 5));
    expect(found).toEqual(Array.from({ length: whole }, (_, i) => i + 1));
    expect(gaps.map(({ droppedResults }) => droppedResults)).toEqual(whole < 5 ? [5 - whole] : []);
    await outbox[Symbol.asyncDispose]();
  }
  await whole[Symbol.asyncDispose]();
});

test('a damaged record is reported under the same id however often the outbox is opened', async () => {
  const folder = newFolder();
  const first = await open(folder);
  for (let i = 1; i <= 3; i += 1) first.append(result(i * 1000));
  await first[Symbol.asyncDispose]();
  const file = onlySegment(folder);
  const bytes = readFileSync(file);
  bytes[Math.floor(bytes.length / 2)] = 0xff;
  writeFileSync(file, bytes);
  const ids = new Set<string>();
  for (let i = 0; i < 3; i += 1) {
    const outbox = await open(folder);
    outbox.setOnline(true);
    const gaps = gapsOf(outbox.nextNew(10));
    expect(gaps).toMatchObject([{ fromUs: 1000n, toUs: 3000n, droppedResults: 1 }]);
    for (const { gapId } of gaps) ids.add(gapId);
    await outbox[Symbol.asyncDispose]();
  }
  expect(ids.size).toBe(1);
});

function copyOf(folder: string): string {
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}
