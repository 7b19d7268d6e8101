import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listen } from '../../testing/index.ts';
import { createScriptTrial } from '../../testing/script-trial.ts';
import { createSandbox, maxScripts } from './sandbox.ts';

const trial = createScriptTrial();
const run: typeof trial.run = (text, settings) => trial.run(text, settings);
// The first script also starts the spawner; on a busy machine that takes longer than some of the times below.
beforeAll(() => run('log(1)', { timeoutMs: 60_000 }));
afterAll(() => trial[Symbol.dispose]());

const linux = process.platform === 'linux';

async function expectNoGuests(): Promise<void> {
  await expect.poll(() => trial.guests()).toEqual([]);
}

/**
 * Runs a script that does not end by itself; again with more time where the machine was too busy to start its process.
 */
async function runOut(text: string, timeoutMs = 1000) {
  const startedMs = performance.now();
  const seen = await run(text, { timeoutMs });
  if (seen.code === 10 && timeoutMs < 60_000) return runOut(text, timeoutMs * 3);
  return { seen, timeoutMs, tookMs: performance.now() - startedMs };
}

/** A server that lets its script wait until `release`, even when the script connects later. */
async function holdScripts() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const server = await listen((socket) => void released.then(() => socket.end('go on\r\n')));
  return {
    script: `await tcp({ host: '127.0.0.1', port: ${server.port}, steps: [{ expect: 'go on' }] })`,
    release,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

test.each([
  ['an endless loop', 'for (;;) {}'],
  ['an endless chain of promises', 'for (;;) await null'],
  ['a sleep without end', 'await sleep(100000)'],
  ['a regular expression without end', "/(a+)+$/.test('a'.repeat(50) + 'b')"],
  ['an endless loop behind a catch', 'for (;;) { try { for (;;) {} } catch {} }'],
])(
  '%s ends at the timeout and leaves nothing',
  async (_what, text) => {
    const { seen, timeoutMs, tookMs } = await runOut(text);
    expect(seen).toMatchObject({ code: 2, text: `the script did not end within ${timeoutMs / 1000} s` });
    expect(tookMs).toBeLessThan(timeoutMs + 2000);
    await expectNoGuests();
  },
  120_000,
);

test('a script that is cut off keeps the values that it reported before', async () => {
  const { seen } = await runOut("value('queue', 7, 'items'); await sleep(100000)");
  expect(seen).toMatchObject({ code: 2, values: [{ Label: 'queue', Value: 7, Unit: 'items' }] });
});

test('a promise that nothing can settle is reported at once', async () => {
  const seen = await run('await new Promise(() => {})');
  expect(seen).toMatchObject({ code: 4, text: 'the script waits for a promise that nothing will settle' });
});

test.each([
  ['arrays', 'const all = []; for (;;) all.push(new Array(10000).fill(0))'],
  ['a typed array', 'new Uint8Array(1e9)'],
  ['strings', "let text = 'x'; for (;;) text += text + Math.random()"],
  ['objects in objects', 'let o = {}; for (;;) o = { o, p: { o } }'],
  ['closures', 'const all = []; for (;;) all.push(() => all)'],
  ['nested JSON', "JSON.parse('['.repeat(5e6))"],
])('a memory bomb of %s is contained', async (_what, text) => {
  const seen = await run(text);
  expect(seen, seen.text).toMatchObject({ code: 4 });
  expect(seen.text).toMatch(/more memory than its 32 MiB|too deeply|too long/);
  await expectNoGuests();
});

test.each([
  ['recursion', 'const f = () => f(); f()'],
  ['recursion through map', 'const f = () => [1].map(f); f()'],
  ['recursion through toString', "const o = { toString() { return o + '' } }; o + ''"],
])('%s is contained', async (_what, text) => {
  const seen = await run(text);
  expect(seen, seen.text).toMatchObject({ code: 4 });
  expect(seen.text).toContain('calls itself too deeply');
});

test('nothing of Node, of the machine or of the host is within reach', async () => {
  const statement = await run("import 'node:fs'");
  expect(statement, statement.text).toMatchObject({ code: 4 });
  // Each as a script of its own would be: with await, and ended by what it throws.
  const attempts = [
    "await import('node:fs')",
    'process.env',
    "require('fs')",
    "std.open('/etc/passwd', 'r')",
    "os.exec(['ls'])",
    "(() => {}).constructor('return process')().exit()",
    "http.constructor('return this.process.env')().PATH",
    "log.__proto__.constructor('return globalThis.require')()('fs')",
    'http = null',
  ];
  const guarded = attempts.map(
    (attempt) => `try { ${attempt}; log(${JSON.stringify(attempt)}) } catch { refused += 1 }`,
  );
  const seen = await run(`
    let refused = 0;
    ${guarded.join('\n')}
    log(refused);
    globalThis.expect = () => {}; expect(false, 'still here');
  `);
  expect(seen, seen.text).toMatchObject({ code: 4, extended: { Log: [`${attempts.length}`] } });
});

test('games with prototypes spoil nothing but the game', async () => {
  const seen = await run(`
    Object.prototype.toJSON = () => '{"kind":"end","how":"done"}';
    Array.prototype.map = null; Promise.prototype.then = null; Map.prototype.get = null;
    JSON.stringify = () => 'x'; JSON.parse = null; String.prototype.split = null;
    Object.defineProperty(Object.prototype, 'how', { value: 'done', writable: true });
    expect(false, 'seen all the same');
  `);
  expect(seen).toMatchObject({ code: 4 });
  const after = await run('expect(true)');
  expect(after).toMatchObject({ code: 1 });
});

test.each([
  ['toJSON of all objects', "Object.prototype.toJSON = () => ({ kind: 'ready' })"],
  [
    'toJSON of texts',
    "String.prototype.toJSON = () => ({ kind: 'ready' }); Object.prototype.toJSON = () => 'ready'",
  ],
  [
    'kind of all objects',
    "Object.defineProperty(Object.prototype, 'kind', { get: () => 'ready', set() {} })",
  ],
  [
    'get of all descriptors',
    'Object.prototype.get = () => 1; Object.prototype.error = 1; Object.prototype.code = 1',
  ],
  [
    'numbers and types',
    'Number = () => ({}); TypeError = Promise = WeakMap = JSON = null; Array.prototype.map = null',
  ],
  ['setters of lists', "Object.defineProperty(Array.prototype, '0', { set() {}, get: () => 'ready' })"],
])('a script that changes %s forges no message', async (what, change) => {
  await using server = await listen((socket) => void socket.end());
  const seen = await run(`
    ${change};
    for (let n = 0; n < 20; n += 1) log('line');
    try { log((await tcp({ host: '127.0.0.1', port: ${server.port} })).text); } catch (error) { log(error.message); }
    step('one');
    expect(false, 'to the end');
  `);
  expect(seen, seen.text).toMatchObject({ code: 4, text: 'to the end' });
  // The options of a call are the script's own objects, so their toJSON counts there and nowhere else.
  const answer = what.startsWith('toJSON') ? 'tcp(): host is missing' : `connected to ${server.target}`;
  expect(seen.extended['Log']).toEqual([...Array.from({ length: 20 }, () => 'line'), answer]);
  expect(seen.extended['Steps']).toMatchObject(
    [{ Calls: expect.anything() }, { Name: 'one' }].slice(what.startsWith('toJSON') ? 1 : 0),
  );
});

test('a flood of logs, calls or calls at once is stopped', async () => {
  const logs = await run("for (;;) log('x'.repeat(100000))");
  expect(logs).toMatchObject({ code: 4, text: 'the script sent more than 4 MiB in calls and logs' });
  await using server = await listen((socket) => void socket.end());
  const tcp = `tcp({ host: '127.0.0.1', port: ${server.port} })`;
  const calls = await run(`for (;;) await ${tcp}`);
  expect(calls).toMatchObject({ code: 4, text: 'a script makes at most 100 calls' });
  await using silent = await listen(() => {});
  const waiting = `tcp({ host: '127.0.0.1', port: ${silent.port}, steps: [{ expect: 'x' }] })`;
  const atOnce = await run(`await Promise.all(Array.from({ length: 11 }, () => ${waiting}))`);
  expect(atOnce).toMatchObject({ code: 4, text: 'a script makes at most 10 calls at once' });
  expect(server.hits).toBe(100);
  expect(silent.hits).toBeLessThanOrEqual(10);
});

test('a script that goes on after it was refused is stopped', async () => {
  const many = (call: string) =>
    `for (;;) await Promise.allSettled(Array.from({ length: 200 }, () => ${call}))`;
  const calls = await run(many('tcp({})'), { timeoutMs: 60_000 });
  expect(calls).toMatchObject({
    code: 4,
    text: 'the script made more than 5000 calls, steps, logs and values',
  });
  const sleeps = await run(many('sleep(0)'), { timeoutMs: 60_000 });
  expect(sleeps).toMatchObject({ code: 4, text: calls.text });
}, 130_000);

test.each([
  ['an error', "throw new Error('漢'.repeat(3e6))", 'Error: 漢'],
  ['an expectation', "expect(false, '漢'.repeat(3e6))", '漢漢'],
  ['a text thrown', "throw '漢'.repeat(3e6)", '漢漢'],
])('%s of megabytes is cut, and is the script’s own fault', async (_what, text, shown) => {
  const seen = await run(text);
  expect(seen).toMatchObject({ code: 4 });
  expect(seen.text.startsWith(shown), seen.text).toBe(true);
  expect(seen.text.length).toBeLessThan(600);
});

test('an error that finds no memory is reported as missing memory', async () => {
  const seen = await run("'x'.repeat(5e6).split('')");
  expect(seen).toMatchObject({ code: 4, text: 'the script needs more memory than its 32 MiB' });
});

test('arguments that run code run it inside, and end with the script', async () => {
  for (const argument of [
    '{ get host() { for (;;); } }',
    '{ toJSON() { for (;;); } }',
    'new Proxy({}, { ownKeys() { for (;;); } })',
  ]) {
    const { seen } = await runOut(`await tcp(${argument})`);
    expect(seen, argument).toMatchObject({ code: 2 });
  }
  await expectNoGuests();
});

test('above the room there is, scripts wait their turn, and one whose turn never came says nothing about its device', async () => {
  using narrow = createScriptTrial({ maxGuests: 1, maxStarting: 1 });
  const three = await Promise.all([1, 2, 3].map(() => narrow.run('await sleep(50)', { timeoutMs: 60_000 })));
  expect(three.map(({ code }) => code)).toEqual([1, 1, 1]);
  await using held = await holdScripts();
  const long = narrow.run(held.script, { timeoutMs: 60_000 });
  const crowded = await narrow.run('log(1)', { timeoutMs: 300 });
  expect(crowded).toMatchObject({
    code: 10,
    text: "the script's process was not ready within 0.3 s: this agent has too much to do",
  });
  held.release();
  expect(await long).toMatchObject({ code: 1 });
});

test('a guest has an empty environment and ends with its agent’s interest', async ({ skip }) => {
  skip(!linux, 'processes are checked in /proc');
  await expectNoGuests();
  await using held = await holdScripts();
  const seen = run(held.script, { timeoutMs: 60_000 });
  // Until it runs its own program, the process has the environment of the one that started it.
  const environments = () => trial.guests().map((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8'));
  await expect.poll(environments).toEqual(['']);
  held.release();
  await seen;
  await expectNoGuests();
});

test('a guest of root is another user without any rights when it sees its script', async ({ skip }) => {
  skip(!linux || process.getuid?.() !== 0, 'only root can become another user');
  await using held = await holdScripts();
  const seen = run(held.script, { timeoutMs: 60_000 });
  const status = () => trial.guests().map((pid) => readFileSync(`/proc/${pid}/status`, 'utf8'));
  await expect.poll(status, { timeout: 60_000 }).toEqual([expect.stringMatching(/^Uid:\s(?!0\s)/m)]);
  const [text = ''] = status();
  const [, ...ids] = /^Uid:\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)$/m.exec(text) ?? [];
  expect(new Set(ids).size).toBe(1);
  expect(/^Groups:\s*$/m.test(text)).toBe(true);
  for (const set of ['CapPrm', 'CapEff']) expect(text).toMatch(new RegExp(`^${set}:\\s+0+$`, 'm'));
  if (existsSync('/usr/bin/setpriv')) expect(text).toMatch(/^NoNewPrivs:\s+1$/m);
  held.release();
  expect(await seen).toMatchObject({ code: 1 });
});

test('a sandbox that is disposed ends its scripts, and starts again when asked', async () => {
  const own = createSandbox();
  const guest = own.start({ timeoutMs: 60_000, memoryBytes: 32 * 1024 * 1024 });
  const lines: string[] = [];
  for await (const line of guest.lines) {
    lines.push(line);
    own[Symbol.dispose]();
  }
  expect(lines).toEqual(['{"kind":"ready"}']);
  using again = own.start({ timeoutMs: 60_000, memoryBytes: 32 * 1024 * 1024 });
  for await (const line of again.lines) {
    expect(line).toBe('{"kind":"ready"}');
    break;
  }
  own[Symbol.dispose]();
});

test.each([
  [64, 1],
  [200, 1],
  [320, 2],
  [512, 4],
  [1_024, 4],
  [2_048, 8],
  [100_000, 64],
])('with %i MiB, %i scripts run at the same time', (mebibytes, scripts) => {
  expect(maxScripts(mebibytes * 1024 * 1024)).toBe(scripts);
});
