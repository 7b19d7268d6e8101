import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createLog } from './log.ts';
import { Secret } from './secret.ts';
import { programEnv } from './testing/index.ts';

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

/** A program that logs three megabytes, which no buffer takes, and says then on stdout that it goes on. */
const chatty = `
  const { createLog } = await import(${JSON.stringify(new URL('./log.ts', import.meta.url).href)});
  const log = createLog('test', 'info');
  for (let n = 0; n < 3_000; n += 1) log.info('x'.repeat(1_000));
  console.log('it goes on');
`;

test.each([
  ['a socket', [process.execPath, '--input-type=module', '-e', chatty]],
  [
    'a pipe',
    [
      'sh',
      '-c',
      '{ "$0" --input-type=module -e "$1" 3>&1 1>&2 2>&3 3>&- | sleep 600; } 2>&1',
      process.execPath,
      chatty,
    ],
  ],
])('a reader of the log that stops does not stop the program: %s', async (_, [command = '', ...args]) => {
  const child = spawn(command, args, {
    env: programEnv(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  try {
    const [said] = await once(child.stdout, 'data');
    expect(String(said)).toBe('it goes on\n');
  } finally {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }
});
