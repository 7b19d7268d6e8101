import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Secret, systemClock } from '@vantage/kernel';
import { afterAll, expect, test } from 'vitest';
import { createDial } from './dial.ts';
import type { Measurement, Policy } from './probe.ts';
import { runCheck } from './run.ts';
import { createSandbox } from './sandbox/sandbox.ts';
import { createScript } from './script.ts';
import { addressOf, allowAll, listen, speakLines } from './testing/index.ts';

const sandbox = createSandbox();
const script = createScript(sandbox);
afterAll(() => sandbox[Symbol.dispose]());

interface Settings {
  readonly timeoutMs?: number;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly policy?: Policy;
}

async function run(text: string, settings: Settings = {}): Promise<Measurement> {
  const { timeoutMs = 15_000, secrets = {}, policy = allowAll } = settings;
  const found = script.parseTarget(text);
  if (!found.ok) throw new TypeError(found.message);
  const { signal } = new AbortController();
  return runCheck(
    { clock: systemClock, dial: createDial(), signal, policy, random: Math.random },
    {
      probe: script,
      target: found.target,
      options: script.options.parse({}),
      timeoutMs,
      secrets: new Map(Object.entries(secrets).map(([name, value]) => [name, new Secret(value)])),
    },
  );
}

/** Guest processes of this test's own spawner that are alive. */
function guests(): readonly string[] {
  const stat = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    } catch {
      return [];
    }
  };
  const command = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
      return '';
    }
  };
  const all = readdirSync('/proc').filter((each) => /^\d+$/.test(each));
  const spawners = all.filter(
    (pid) => stat(pid)[1] === String(process.pid) && command(pid).includes('spawner.ts'),
  );
  return all.filter((pid) => spawners.includes(stat(pid)[1] ?? ''));
}

async function expectNoGuests(): Promise<void> {
  await expect.poll(guests, { timeout: 2000 }).toEqual([]);
}

const linux = process.platform === 'linux';

test('a script that ends well is 1, and all its time is in ttlb', async () => {
  await using server = await listen(speakLines({ greeting: '220 ready', answer: () => '250 ok' }));
  const seen = await run(`
    const mail = await smtp({ host: '127.0.0.1', port: ${server.port} });
    expect(mail.text === '220 ready', 'another greeting');
    await step('connect', async () => {
      await tcp({ host: '127.0.0.1', port: ${server.port}, steps: [{ expect: '220' }] });
    });
    log('mail took', mail.ms > 0);
  `);
  expect(seen, seen.text).toMatchObject({ code: 1, text: 'the script ended well after 2 calls' });
  expect(seen.phases.ttlb).toBeGreaterThan(0);
  expect(seen.phases).toMatchObject({ dns: 0, connect: 0, ssl: 0, ttfb: 0 });
  expect(seen.dataSize).toBeGreaterThan(0);
  expect(seen.extended).toMatchObject({
    Log: ['mail took true'],
    Steps: [
      { Calls: [{ Function: 'smtp', ResultCode: 1, Address: server.target }] },
      { Name: 'connect', Ok: true, Calls: [{ Function: 'tcp', ResultCode: 1 }] },
    ],
  });
  await server.idle();
});

test('a chain of API calls hands values on', async () => {
  const server = createServer((request, response) => {
    const bodies: Buffer[] = [];
    request.on('data', (chunk: Buffer) => bodies.push(chunk));
    request.on('end', () => {
      const said = Buffer.concat(bodies).toString();
      const json = request.headers['content-type'] === 'application/json';
      if (request.url === '/login' && json && said === '{"user":"monitor"}') response.end('{"token":"t-1"}');
      else if (request.headers.authorization === 'Bearer t-1') response.end('{"items":[1,2,3]}');
      else response.writeHead(401).end('{"error":"who are you"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = addressOf(server.address());
  const seen = await run(`
    const base = 'http://127.0.0.1:${port}';
    const login = await http({ url: base + '/login', method: 'POST', body: { user: 'monitor' } });
    const { token } = JSON.parse(login.body);
    const list = await http({ url: base + '/items', headers: { Authorization: 'Bearer ' + token } });
    expect(JSON.parse(list.body).items.length === 3, 'three items');
    try {
      await http({ url: base + '/items' });
      expect(false, 'it let a stranger in');
    } catch (error) {
      expect(error.status === 401 && error.name === 'CheckError', 'status ' + error.status);
      expect(JSON.parse(error.body).error === 'who are you', 'body');
    }
  `);
  server.close();
  expect(seen, seen.text).toMatchObject({ code: 1, text: 'the script ended well after 3 calls' });
});

test.each([
  ['a failed expect', "expect(1 === 2, 'one is two')", 4, 'one is two'],
  ['a failed expect that is caught', "try { expect(false, 'no') } catch {}", 4, 'no'],
  ['an expect of a promise', 'expect(sleep(1))', 4, 'expect() was given a promise'],
  ['a thrown error', "\nthrow new Error('boo')", 4, 'Error: boo (line 2)'],
  ['a thrown thing without text', 'throw { toString() { throw 1 } }', 4, 'something that has no text'],
  ['a syntax error', 'let = ;', 4, 'SyntaxError'],
  ['a name that is not there', 'await fetch("http://127.0.0.1")', 4, "'fetch' is not defined"],
  ['an unknown secret', 'secret("NONE")', 4, 'there is no secret named NONE'],
  [
    'an unknown option',
    "await tcp({ host: '127.0.0.1', port: 9, tsl: {} })",
    4,
    'tcp(): options: Unrecognized key: "tsl"',
  ],
  ['a missing host', 'await ping({})', 4, 'ping(): host is missing'],
  ['a bad host', "await ping({ host: '-f' })", 4, "a host never begins with '-'"],
  ['a bad sleep', 'await sleep(1e9)', 4, 'sleep() takes milliseconds'],
  ['a call that fails', "await tcp({ host: '127.0.0.1', port: 1 })", 3, 'connection refused by 127.0.0.1:1'],
])('%s says so', async (_what, text, code, shown) => {
  const seen = await run(text);
  expect(seen).toMatchObject({ code });
  expect(seen.text).toContain(shown);
});

test('a failed call keeps its evidence and its step is marked', async () => {
  await using server = await listen(speakLines({ greeting: '554 go away', answer: () => undefined }));
  const seen = await run(`await step('mail', () => smtp({ host: '127.0.0.1', port: ${server.port} }))`);
  expect(seen).toMatchObject({ code: 3, text: 'expected 220, got "554 go away"' });
  expect(seen.extended['Steps']).toMatchObject([
    { Name: 'mail', Ok: false, Calls: [{ ResultCode: 3, Extended: { Transcript: ['< 554 go away'] } }] },
  ]);
});

test('addresses outside the policy are 9, whatever the script makes of it', async () => {
  await using server = await listen(() => {});
  const policy: Policy = { refuse: ({ method }) => (method === 'TCP' ? 'not allowed here' : undefined) };
  const seen = await run(`await tcp({ host: '127.0.0.1', port: ${server.port} })`, { policy });
  expect(seen).toMatchObject({ code: 9, text: 'not allowed here' });
  expect(server.hits).toBe(0);
});

test('secrets reach the script and no result', async () => {
  const said: string[] = [];
  await using server = await listen(
    speakLines({
      greeting: '+OK',
      answer(line) {
        said.push(line);
        return line.startsWith('PASS') ? `-ERR ${line}` : '+OK';
      },
    }),
  );
  const seen = await run(
    `const password = secret('POP');
     log(password, { password }, encodeURIComponent(password));
     await step(password, () => pop3({ host: '127.0.0.1', port: ${server.port}, user: 'me', password }));`,
    { secrets: { POP: 'sentinel /7"x' } },
  );
  expect(said).toContain('PASS sentinel /7"x');
  expect(seen).toMatchObject({ code: 8, text: 'login refused: "-ERR PASS ***"' });
  expect(JSON.stringify(seen)).not.toContain('sentinel');
});

test('secrets that stand in the script itself are hidden like those of Options', async () => {
  await using server = await listen(speakLines({ greeting: '+OK', answer: (line) => `-ERR ${line}` }));
  const seen = await run(`
    log('sentinel-88');
    await pop3({ host: '127.0.0.1', port: ${server.port}, user: 'me', password: 'sentinel-88' });
  `);
  expect(seen).toMatchObject({ code: 8 });
  expect(JSON.stringify(seen)).not.toContain('sentinel');
});

test.each([
  ['an endless loop', 'for (;;) {}'],
  ['an endless chain of promises', 'for (;;) await null'],
  ['a sleep without end', 'await sleep(100000)'],
  ['a regular expression without end', "/(a+)+$/.test('a'.repeat(50) + 'b')"],
  ['an endless loop behind a catch', 'for (;;) { try { for (;;) {} } catch {} }'],
])('%s ends at the timeout and leaves nothing', async (_what, text) => {
  const startedMs = performance.now();
  const seen = await run(text, { timeoutMs: 1500 });
  expect(seen).toMatchObject({ code: 2, text: 'the script did not end within 1.5 s' });
  expect(performance.now() - startedMs).toBeLessThan(3500);
  if (linux) await expectNoGuests();
});

test('a promise that nothing can settle is told at once', async () => {
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
  if (linux) await expectNoGuests();
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

test.each([
  "import 'node:fs'",
  "await import('node:fs')",
  'process.env',
  "require('fs')",
  "std.open('/etc/passwd', 'r')",
  "os.exec(['ls'])",
  "(() => {}).constructor('return process')().exit()",
  "http.constructor('return this.process.env')().PATH",
  "log.__proto__.constructor('return globalThis.require')()('fs')",
  'http = null',
  "globalThis.expect = () => {}; expect(false, 'still here')",
])('%s gets nothing', async (text) => {
  const seen = await run(text);
  expect(seen, seen.text).toMatchObject({ code: 4 });
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

test.runIf(linux)('a guest has an empty environment and ends with its agent’s interest', async () => {
  const seen = run('await sleep(100000)', { timeoutMs: 2500 });
  await expect.poll(guests, { timeout: 2000 }).toHaveLength(1);
  const [pid = ''] = guests();
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toBe('');
  await seen;
  await expectNoGuests();
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

test.each(['', '  \n', 'x'.repeat(70_000)])('a text that is no script is refused', (text) => {
  expect(script.parseTarget(text)).toMatchObject({ ok: false });
});
