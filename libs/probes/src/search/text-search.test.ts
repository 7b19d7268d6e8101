import { type CpuTime, startCpuTimer } from '@vantage/kernel/testing';
import { afterAll, expect, test } from 'vitest';
import { createTextSearch, type SearchJob, searchText, searchThreads } from './text-search.ts';

const never = new AbortController().signal;
// Long enough for a good search on a busy machine; only patterns that never end wait for it.
const limitMs = 3000;
const search = createTextSearch({ threads: 2, megabytes: 160, limitMs, waiting: 5 });
afterAll(() => search[Symbol.dispose]());

const regex = (pattern: string, text: string): SearchJob => ({ kind: 'regex', pattern, text });
const json = (path: string, text: string, value?: string): SearchJob => ({
  kind: 'json-path',
  path,
  text,
  value,
});
/** A share, because the figures themselves depend on the machine. */
function expectOtherThreads({ thread, process: all }: CpuTime): void {
  expect(thread / all).toBeLessThan(0.5);
}

const endless = regex('^(a+)+$', `${'a'.repeat(50)}!`);

test.each<[SearchJob, unknown]>([
  [regex('^b+', 'a\nbb'), { kind: 'match', index: 2, length: 2 }],
  [regex('^x', 'a\nbb'), { kind: 'none' }],
  [regex('b', 'b'), { kind: 'match', index: 0, length: 1 }],
  [
    { kind: 'text', pattern: 'b', text: 'abc' },
    { kind: 'match', index: 1, length: 1 },
  ],
  [{ kind: 'text', pattern: 'x', text: 'abc' }, { kind: 'none' }],
  [json('$.a', '{"a":1}'), { kind: 'found', isMet: true, shown: '' }],
  [json('$.a', '{"a":1}', '1'), { kind: 'found', isMet: true, shown: '' }],
  [json('$.a', '{"a":"1"}', '2'), { kind: 'found', isMet: false, shown: '1' }],
  [json('$.b', '{"a":1}'), { kind: 'none' }],
  [json('$.b', 'no'), { kind: 'no-json' }],
  [json('$[', '{}'), { kind: 'no-path', message: expect.stringContaining('no JSONPath') }],
])('%j is answered', async (job, result) => {
  expect(await search.run(job, never)).toEqual(result);
});

test('a pattern that runs away costs this thread next to nothing, and the next one is served', async () => {
  using narrow = createTextSearch({ threads: 1, megabytes: 160, limitMs, waiting: 2 });
  await narrow.run(regex('a', 'a'), never);
  const elapsed = startCpuTimer();
  const both = await Promise.all([narrow.run(endless, never), narrow.run(regex('b', 'abc'), never)]);
  expect(both).toEqual([{ kind: 'runaway' }, { kind: 'match', index: 1, length: 1 }]);
  expectOtherThreads(elapsed());
});

test.each([
  ['two hundred selectors', `$[${'*,'.repeat(48)}*]`, `[${'1,'.repeat(500_000)}1]`],
  ['every value below every value', '$..*..*', `${`[${'1,'.repeat(550)}`.repeat(900)}1${']'.repeat(900)}`],
])('%s on 1 MiB of JSON is given up within bounds of memory', async (_what, path, text) => {
  const before = process.memoryUsage().rss;
  expect(await search.run(json(path, text), never)).toEqual({ kind: 'runaway' });
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
});

test('a plain text that is made to be searched for long is searched elsewhere', async () => {
  const wanted = `${'a'.repeat(2000)}b${'a'.repeat(2000)}`;
  await searchText('a'.repeat(1024 * 1024), wanted, never); // starts the threads
  const elapsed = startCpuTimer();
  expect(await searchText('a'.repeat(1024 * 1024), wanted, never)).not.toEqual({ kind: 'match' });
  expectOtherThreads(elapsed());
  expect(await searchText('xyz', 'y', never)).toEqual({ kind: 'match', index: 1, length: 1 });
});

test('above the room there is, and where the deadline comes before the turn, nothing is said about the text', async () => {
  using narrow = createTextSearch({ threads: 1, megabytes: 160, limitMs, waiting: 2 });
  await narrow.run(regex('a', 'a'), never);
  const deadline = new AbortController();
  const running = narrow.run(endless, deadline.signal);
  const waiting = narrow.run(regex('a', 'a'), deadline.signal);
  const last = narrow.run(regex('a', 'a'), never);
  expect(await narrow.run(regex('a', 'a'), never)).toEqual({ kind: 'busy' });
  deadline.abort(new Error('the deadline'));
  await expect(running).rejects.toThrow('the deadline');
  expect(await waiting).toEqual({ kind: 'busy' });
  expect(await last).toEqual({ kind: 'match', index: 0, length: 1 });
});

test.each([
  [200, { threads: 1, megabytes: 64 }],
  [511, { threads: 1, megabytes: 64 }],
  [512, { threads: 2, megabytes: 160 }],
])('with %i MiB the searches have %j', (mebibytes, limits) => {
  expect(searchThreads(mebibytes * 1024 * 1024)).toEqual(limits);
});
