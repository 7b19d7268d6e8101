import { emptyChain, followChain } from '@vantage/domain/audit-chain';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type EventReader, openEvents } from '../../reading/history/testing/event-reader.ts';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';

let rest: RestFixture;
let key: string;
let accountNo: number;
const readers: EventReader[] = [];
beforeEach(async () => {
  rest = await createRestFixture();
  ({ accountNo } = await rest.account('one'));
  ({ key } = await rest.key(accountNo, 'UW'));
});
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.leave();
  await rest[Symbol.asyncDispose]();
});

const createTags = async (...names: readonly string[]) => {
  for (const Name of names)
    expect((await rest.send('POST', '/tags', { key, body: { Name } })).status).toBe(200);
};
const follow = async (query = '') => {
  const reader = await openEvents(`${rest.baseUrl}/audit?stream${query}`, { 'Service-API-Key': key });
  readers.push(reader);
  return reader;
};
/** Turns the clock on until so many lines came; the test's own time limit is the bound. */
const linesOf = async (reader: EventReader, count: number) => {
  const lines = () => reader.text.split('\n').slice(0, -1);
  while (lines().length < count) {
    await rest.clock.advance(1_000);
    await new Promise(setImmediate);
  }
  return lines();
};
const lastOf = (lines: readonly string[]) =>
  z.object({ audit_id: z.string(), Hash: z.string() }).parse(JSON.parse(lines.at(-1) ?? ''));
const namesOf = (lines: readonly string[]) =>
  lines.flatMap((line) =>
    z
      .object({ Changes: z.array(z.object({ Field: z.string(), New: z.unknown() })) })
      .parse(JSON.parse(line))
      .Changes.flatMap(({ Field, New }) => (Field === 'Name' ? [New] : [])),
  );

test('the stream has every entry once, oldest first, in a chain that continues after a break', async () => {
  const names = Array.from({ length: 120 }, (_, n) => `t${n}`);
  await createTags(...names.slice(0, 110));
  const first = await follow();
  expect(first.type).toBe('application/jsonl; charset=utf-8');
  const before = await linesOf(first, 110);
  first.leave();
  await createTags(...names.slice(110));
  const { audit_id, Hash } = lastOf(before);
  const after = await linesOf(await follow(`&After=${audit_id}&Hash=${Hash}`), 10);
  expect(namesOf([...before, ...after])).toEqual(names);
  expect(followChain([...before, ...after].map((line) => `${line}\n`).join(''))).toMatchObject({
    ok: true,
    end: { lines: 120 },
  });
});

test('an entry is sent only when none with a smaller number can come any more', async () => {
  await createTags('old');
  await rest.clock.advance(59_000);
  await createTags('new');
  const newUs = rest.clock.nowUs();
  const reader = await follow();
  const first = namesOf(await linesOf(reader, 1));
  // A slow machine has turned the clock further when the first line comes.
  if (rest.clock.nowUs() - newUs < 60_000_000) expect(first).toEqual(['old']);
  expect(namesOf(await linesOf(reader, 2))).toEqual(['old', 'new']);
});

test('an entry of a time when the clock was ahead holds up no later one', async () => {
  rest.clock.stepWall(86_400_000);
  await createTags('ahead');
  rest.clock.stepWall(-86_400_000);
  await createTags('right');
  expect(namesOf(await linesOf(await follow(), 2))).toEqual(['ahead', 'right']);
});

test('another account has another stream', async () => {
  await createTags('ours');
  const other = await rest.account('other');
  const { key: foreign } = await rest.key(other.accountNo, 'UW');
  await rest.clock.advance(61_000);
  expect((await rest.send('POST', '/tags', { key: foreign, body: { Name: 'theirs' } })).status).toBe(200);
  const reader = await openEvents(`${rest.baseUrl}/audit?stream`, { 'Service-API-Key': foreign });
  readers.push(reader);
  expect(namesOf(await linesOf(reader, 1))).toEqual(['theirs']);
});

test.each([
  ['?stream&Kind=tag', 1004, 'Kind'],
  ['?stream&Limit=5', 1004, 'Limit'],
  ['?stream&After=x', 1004, 'Hash'],
  [`?stream&Hash=${emptyChain.hash}`, 1004, 'After'],
  ['?stream&After=x&Hash=zz', 1004, 'Hash'],
  ['?After=x', 1004, 'After'],
  [`?stream&After=x&Hash=${emptyChain.hash}`, 1003, ''],
])('/audit%s is refused with %i', async (query, code, field) => {
  const { json } = await rest.send('GET', `/audit${query}`, { key });
  expect(json).toMatchObject({ code });
  if (field !== '') expect(json).toMatchObject({ errors: [{ field }] });
});
