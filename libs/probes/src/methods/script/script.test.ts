import { createServer } from 'node:http';
import { systemClock } from '@vantage/kernel';
import { afterAll, expect, test } from 'vitest';
import type { Policy } from '../../contract/dial.ts';
import { registry, specOf } from '../../engine/registry.ts';
import { runProbe } from '../../engine/run.ts';
import { createDial } from '../../net/dial.ts';
import { addressOf, allowAll, listen, serveNames, speakLines } from '../../testing/index.ts';
import { resultPackets, serveMysql } from '../../testing/mysql-server.ts';
import { createScriptTrial } from '../../testing/script-trial.ts';
import { listenSsh } from '../../testing/ssh-server.ts';

const trial = createScriptTrial();
const run: typeof trial.run = (text, settings) => trial.run(text, settings);
afterAll(() => trial[Symbol.dispose]());

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
  ['a thrown number', 'throw 7', 4, 'the script threw 7'],
  ['nothing thrown', 'throw undefined', 4, 'the script threw undefined'],
  [
    'a call without its object',
    "await tcp('db', 5432)",
    4,
    'tcp() takes one object: tcp({ host: … }) (line 1)',
  ],
  [
    'a port as text',
    "await smtp({ host: '127.0.0.1', port: '25' })",
    4,
    'smtp(): port must be a number from 1 to',
  ],
  ['a port that is no number', "await smtp({ host: '127.0.0.1', port: NaN })", 4, 'smtp(): port must be'],
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

test('a call not awaited says so', async () => {
  await using silent = await listen(() => {});
  const seen = await run(`sleep(5000); smtp({ host: '127.0.0.1', port: ${silent.port} })`);
  expect(seen.text).toContain('after 1 call, 1 of them not awaited');
  expect(seen.code).toBe(1);
  await silent.idle();
});

test('a failed call keeps its diagnostics and its step is marked', async () => {
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

test('calls and failures say the line that they stand in', async () => {
  const refused = "tcp({ host: '127.0.0.1', port: 1 })";
  const call = await run(
    `const look = () =>\n  ${refused};\nlog(1);\ntry { await look() } catch {}\nawait look();`,
  );
  expect(call).toMatchObject({
    code: 3,
    extended: { Line: 2, Steps: [{ Calls: [{ Line: 2 }, { Line: 2 }] }] },
  });
  expect((await run("log(1);\n\nexpect(false, 'no')")).extended).toMatchObject({ Line: 3 });
  expect((await run('log(1);\nnull.x')).extended).toMatchObject({ Line: 2 });
  expect((await run('log(1);\nlet x = ;')).extended).toMatchObject({ Line: 2 });
  const spoilt = await run(`Error = null;\nawait ${refused}`);
  expect(spoilt).toMatchObject({ code: 3, extended: { Line: 2 } });
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

test('what the declarations say that a call returns is there', async () => {
  const rows = [
    ['a', null],
    ['b', 'c'],
  ];
  await using mysql = await listen((socket) => serveMysql(socket, { query: () => resultPackets(rows) }));
  await using ssh = await listenSsh({
    command(text, channel) {
      channel.exit(3);
      channel.end(`out of ${text}`);
    },
  });
  await using lines = await listen(speakLines({ greeting: 'one', answer: (line) => `got ${line}` }));
  await using names = await serveNames(({ name }) => ({
    answers: [{ type: 'A', name, ttl: 1, data: '192.0.2.7' }],
  }));
  const seen = await run(
    `const all = { host: '127.0.0.1', user: 'probe', password: 'right' };
     const login = { ...all, port: ${mysql.port} };
     const data = await mysql({ ...login, query: 'select 1' });
     expect(data.rows === 2 && JSON.stringify(data.row) === '["a",null]', JSON.stringify(data));
     const none = await mysql(login);
     expect(none.rows === 0 && none.row === null, JSON.stringify(none));
     const shell = await ssh({ ...all, port: ${ssh.port}, command: 'x', expectExitCode: 3 });
     expect(shell.output === 'out of x' && shell.exitCode === 3, JSON.stringify(shell));
     const bare = await ssh({ ...all, port: ${ssh.port} });
     expect(bare.output === '' && bare.exitCode === null, JSON.stringify(bare));
     const talk = await tcp({ host: '127.0.0.1', port: ${lines.port}, steps: [{ expect: 'one' }, { send: 'x\\n', expect: 'got x' }] });
     expect(talk.received.startsWith('one\\r\\ngot x'), JSON.stringify(talk));
     const found = await dns({ name: 'a.example', server: '${names.target}' });
     expect(found.rcode === 'NOERROR' && found.answers.join() === '192.0.2.7', JSON.stringify(found));
     for (const each of [data, none, shell, bare, talk, found]) {
       expect(typeof each.text === 'string' && each.ms >= 0 && each.size >= 0 && each.facts.Address, JSON.stringify(each));
       const { dns, connect, ssl, ttfb, ttlb } = each.phases;
       expect(Math.abs(dns + connect + ssl + ttfb + ttlb - each.ms) < 0.01, JSON.stringify(each));
     }`,
  );
  expect(seen, seen.text).toMatchObject({ code: 1 });
});

test.each(['', '  \n', 'x'.repeat(70_000), 'log(1)\0'])('a text that is no script is refused', (text) => {
  expect(registry.Script.parseTarget(text)).toMatchObject({ ok: false });
});

test('over the wire a script brings its secrets along', async () => {
  const spec = specOf({ method: 'Script', url: "log(secret('WORD'))", timeoutMs: 15_000, options: {} });
  spec.secrets['WORD'] = 'sentinel-77';
  const { signal } = new AbortController();
  const deps = { clock: systemClock, dial: createDial(), signal, policy: allowAll, random: Math.random };
  const seen = await runProbe({ ...deps, spec });
  expect(seen).toMatchObject({ code: 1, extended: { Log: ['***'] } });
});
