import { expect, test } from 'vitest';
import { createLog } from './log.ts';
import { Secret } from './secret.ts';

function scene() {
  const lines: string[] = [];
  const log = createLog('test', 'info', { write: (line) => void lines.push(line) });
  return { lines, log };
}

test('a line is bounded whatever it is given', () => {
  const { lines, log } = scene();
  const long = 'x'.repeat(10_000_000);
  const deep: Record<string, unknown> = { a: { b: { c: { d: { e: { f: long } } } } } };
  log.warn({ error: long }, 'a text');
  log.warn(long);
  log.warn({ many: Array.from({ length: 100_000 }, (_, n) => ({ n, long })) }, long);
  log.warn({ deep, ...Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`name${n}`, long])) }, 'x');
  log.warn({ err: new Error(long) }, 'x');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(40_000);
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: 40 });
  expect(lines[0]).toContain('more characters');
});

test('a short line is as it was given, secrets are masked', () => {
  const { lines, log } = scene();
  const at = new Date(0);
  log.info(
    { count: 3, list: [1, 'a', null], password: 'p', secret: new Secret('s'), at, inner: { b: true } },
    'msg',
  );
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    msg: 'msg',
    count: 3,
    list: [1, 'a', null],
    password: '***',
    secret: '***',
    at: '1970-01-01T00:00:00.000Z',
    inner: { b: true },
  });
});
