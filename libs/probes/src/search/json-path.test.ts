import { threadCpuMs } from '@vantage/kernel/testing';
import { describe, expect, test } from 'vitest';
import { findJson, readJsonPath } from './json-path.ts';
import { createTextSearch } from './text-search.ts';

const neverAborted = new AbortController().signal;

const shop = {
  store: {
    book: [
      { title: 'A', price: 8, 'is new': true },
      { title: 'B', price: 12 },
      { title: 'C', price: 9 },
      { title: 'D', price: 22 },
    ],
    bicycle: { price: 19, "it's": 'red' },
  },
};

function find(path: string, json: unknown = shop): readonly unknown[] | undefined {
  const read = readJsonPath(path);
  if (!read.ok) throw new Error(read.message);
  const found: unknown[] = [];
  return findJson(json, read.steps, (each) => found.push(each)) ? found : undefined;
}

describe('a JSONPath', () => {
  test.each([
    ['$', [shop]],
    ['$.store.bicycle.price', [19]],
    ['store.bicycle.price', [19]],
    ["$['store']['bicycle']['price']", [19]],
    ['$["store"].bicycle["it\'s"]', ['red']],
    ["$.store.bicycle['it\\'s']", ['red']],
    ['$.store.book[0].title', ['A']],
    ['$.store.book[-1].title', ['D']],
    ['$.store.book[9].title', []],
    ['$.store.book[*].title', ['A', 'B', 'C', 'D']],
    ['$.store.book.*.price', [8, 12, 9, 22]],
    ['$.store.book[1:3].title', ['B', 'C']],
    ['$.store.book[:2].title', ['A', 'B']],
    ['$.store.book[-2:].title', ['C', 'D']],
    ['$.store.book[::2].title', ['A', 'C']],
    ['$.store.book[::-1].title', ['D', 'C', 'B', 'A']],
    ['$.store.book[3:0:-2].title', ['D', 'B']],
    ['$.store.book[0, 2].title', ['A', 'C']],
    ["$.store.book[0]['title','price']", ['A', 8]],
    ["$.store.book[0]['is new']", [true]],
    ['$..price', [8, 12, 9, 22, 19]],
    ['$..book[1].price', [12]],
    ["$..['title']", ['A', 'B', 'C', 'D']],
    ['$.store..price', [8, 12, 9, 22, 19]],
    ['$.none', []],
    ['$.store.book.length', [4]],
    ['$.constructor', []],
    ['$.store.__proto__', []],
  ])('%s finds what it says', (path, expected) => {
    expect(find(path)).toEqual(expected);
  });

  test.each([
    '$.',
    '$..',
    '$[',
    '$[]',
    '$[?(@.a)]',
    '$[(@.length-1)]',
    '$.a b',
    "$['a",
    '$[1:2:3:4]',
    '$x',
    '$.a[',
    '$.@number()',
  ])('%s is none, and it says where', (path) => {
    const read = readJsonPath(path);
    expect(read.ok ? '' : read.message).toMatch(/^no JSONPath from ".*" on; names, /);
  });

  test.each([
    ['blanks in brackets', `$[${' '.repeat(3000)}x`],
    ['blanks within the limit', `$[${' '.repeat(490)}x`],
    ['digits', `$[${'1'.repeat(3000)}`],
    ['digits within the limit', `$[${'1'.repeat(490)}]`],
    ['backslashes', `$['${'\\'.repeat(480)}`],
    ['selectors', `$[${'*,'.repeat(200)}*]`],
  ])('a path pumped up with %s is refused, in time proportional to its length', async (_what, path) => {
    expect(readJsonPath(path)).toMatchObject({ ok: false });
    expect(await threadCpuMs(50, () => readJsonPath(path))).toBeLessThan(50);
  });

  test('a selector repeated on a long list is given up before it fills the memory', () => {
    const list = Array.from({ length: 500_000 }, () => 1);
    const before = process.memoryUsage().heapUsed;
    expect(find(`$[${'*,'.repeat(48)}*]`, list)).toBeUndefined();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(256 * 1024 * 1024);
  });

  test('a document of 1 MiB is searched on a thread with little memory beside the document', async () => {
    const list = (length: number, each: unknown) => Array.from({ length }, () => each);
    const text = JSON.stringify({ a: list(250, list(1_000, 1)) });
    using search = createTextSearch({ threads: 1, megabytes: 24, limitMs: 60_000, waiting: 10 });
    for (const path of ['$..*', '$.a[::,::,::,::,::,::][*]']) {
      const result = await search.run({ kind: 'json-path', path, text, value: '2' }, neverAborted);
      expect(result.kind, path).toBe('found');
    }
  });

  test('a document made to take for ever is given up, in a moment', () => {
    const width = '1,'.repeat(550);
    const deep: unknown = JSON.parse(`${`[${width}`.repeat(900)}1${']'.repeat(900)}`);
    const startedMs = performance.now();
    expect(find('$..*..*', deep)).toBeUndefined();
    expect(find('$..*', deep)).toHaveLength(900 * 550 + 900);
    const abyss: unknown = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`);
    expect(find('$..a', abyss)).toEqual([]);
    expect(performance.now() - startedMs).toBeLessThan(20_000);
  });
});
