import { describe, expect, test } from 'vitest';
import { listen, makeCertificate, probeContract, runTest } from '../../testing/index.ts';
import { secureServer } from '../../testing/secure-server.ts';
import { serverFrame, serveWebSocket, type WebSocketServerSettings } from '../../testing/websocket-server.ts';
import { websocket } from './websocket.ts';

probeContract({
  probe: websocket,
  serverFirst: false,
  url: (port) => `ws://127.0.0.1:${port}/socket`,
  options: { Send: 'hello', ExpectText: 'hello' },
  serve: (socket) => serveWebSocket(socket),
  withSecret: (port, secret) => ({
    url: `ws://me:${encodeURIComponent(secret)}@127.0.0.1:${port}/socket?token=${encodeURIComponent(secret)}`,
    options: {
      Password: secret,
      Headers: {
        Cookie: Buffer.from(secret)
          .toString('latin1')
          .replaceAll(/[^ -~]/g, 'x'),
      },
      TLS: { ClientKey: secret },
    },
  }),
});

const serving = (settings: WebSocketServerSettings = {}) =>
  listen((socket) => serveWebSocket(socket, settings));
const urlOf = (server: { readonly target: string }, path = '/') => `ws://${server.target}${path}`;

describe('the upgrade', () => {
  test('a ping is answered, and its round trip is measured', async () => {
    await using server = await serving();
    const seen = await runTest(websocket, urlOf(server));
    expect(seen, seen.text).toMatchObject({
      code: 1,
      text: '101 Switching Protocols, ping answered',
      values: [{ Label: 'Round trip', Unit: 'ms' }],
    });
    expect(seen.phases.ttfb).toBeGreaterThan(0);
    expect(seen.phases.ttlb).toBeGreaterThan(0);
    await server.idle();
  });

  test('without a ping the upgrade is all', async () => {
    await using server = await serving({ answer: () => [] });
    const seen = await runTest(websocket, urlOf(server), { Ping: false });
    expect(seen, seen.text).toMatchObject({ code: 1, text: '101 Switching Protocols' });
    expect(seen.values).toBeUndefined();
  });

  test('the request has path, headers, login and subprotocol', async () => {
    const requests: string[] = [];
    await using server = await serving({ requests, headers: { 'Sec-WebSocket-Protocol': 'chat.v2' } });
    const options = {
      Headers: { Origin: 'https://a.example', Host: 'b.example' },
      User: 'me',
      Password: 'sesame',
      Subprotocol: 'chat.v1, chat.v2',
    };
    const seen = await runTest(websocket, urlOf(server, '/sø?a=1#x'), options);
    expect(seen, seen.text).toMatchObject({ code: 1, extended: { Subprotocol: 'chat.v2' } });
    const lines = requests[0]?.split('\r\n') ?? [];
    expect(lines).toEqual(
      expect.arrayContaining([
        'GET /s%C3%B8?a=1 HTTP/1.1',
        'Host: b.example',
        'Origin: https://a.example',
        `Authorization: Basic ${Buffer.from('me:sesame').toString('base64')}`,
        'Upgrade: websocket',
        'Connection: Upgrade',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Protocol: chat.v1, chat.v2',
      ]),
    );
    expect(lines.filter((line) => /^host:/i.test(line))).toHaveLength(1);
  });

  test.each([
    [{ refusal: 'HTTP/1.1 404 Not Found' }, {}, 3, 'expected 101 Switching Protocols, got 404 Not Found'],
    [
      { refusal: 'HTTP/1.1 401 Unauthorized' },
      {},
      8,
      'expected 101 Switching Protocols, got 401 Unauthorized: set User and Password',
    ],
    [
      { refusal: 'HTTP/1.1 401 No' },
      { User: 'me' },
      8,
      'expected 101 Switching Protocols, got 401 No: user or password are refused',
    ],
    [{ refusal: 'HTTP/1.1 301 Moved' }, {}, 3, 'expected 101 Switching Protocols, got 301 Moved'],
    [{ headers: { Upgrade: 'h2c' } }, {}, 3, 'PEER sent an upgrade to something else'],
    [{ headers: { 'Sec-WebSocket-Accept': 'x' } }, {}, 3, 'PEER sent a wrong Sec-WebSocket-Accept'],
    [
      { headers: { 'Sec-WebSocket-Extensions': 'permessage-deflate' } },
      {},
      3,
      'PEER sent an extension that was not offered',
    ],
    [{}, { Subprotocol: 'chat' }, 7, 'the server does not speak the subprotocol "chat"'],
    [
      { headers: { 'Sec-WebSocket-Protocol': 'other' } },
      { Subprotocol: 'chat' },
      3,
      'PEER sent the subprotocol "other", which was not offered',
    ],
    [{ refusal: 'SSH-2.0-OpenSSH' }, {}, 3, 'PEER sent no answer of HTTP: "SSH-2.0-OpenSSH"'],
  ])('%j with %j is %i', async (settings, options, code, text) => {
    await using server = await serving(settings);
    const seen = await runTest(websocket, urlOf(server), options);
    const notProtocol = text.startsWith('PEER sent') ? ': this is not the protocol expected' : '';
    expect(seen).toMatchObject({ code, text: text.replace('PEER', server.target) + notProtocol });
  });

  test('TLS by wss://, and the ports of the schemes', async () => {
    const tls = makeCertificate();
    await using server = await listen(secureServer(tls, (socket) => serveWebSocket(socket)));
    const seen = await runTest(websocket, `wss://${server.target}/`, { TLS: { CA: tls.cert } });
    expect(seen, seen.text).toMatchObject({ code: 1 });
    expect(seen.phases.ssl).toBeGreaterThan(0);
    expect(websocket.parseTarget('wss://h/x')).toMatchObject({ ok: true, target: { port: 443, path: '/x' } });
    expect(websocket.parseTarget('h')).toMatchObject({ ok: true, target: { port: 80 } });
    expect(websocket.parseTarget('ws://h/?api_key=secret&a=1')).toMatchObject({
      ok: true,
      target: { display: 'ws://h/?api_key=***&a=1' },
    });
  });
});

describe('messages', () => {
  test.each([
    [{ Send: 'one', ExpectText: 'one' }, 1, '101 Switching Protocols, a message as expected'],
    [{ Send: 'two', ExpectRegex: '^t.o$' }, 1, '101 Switching Protocols, a message as expected'],
    [{ ExpectText: 'welcome' }, 1, '101 Switching Protocols, a message as expected'],
    [{ Send: 'x', ExpectText: 'y' }, 7, 'expected a message with "y", the last one was "x"'],
    [{ ExpectRegex: 'never' }, 7, 'expected a message with /never/, the last one was "welcome ✓"'],
    [{ Send: 'only' }, 1, '101 Switching Protocols, ping answered'],
  ])('%j is %i', async (options, code, text) => {
    await using server = await serving({ greeting: [serverFrame(1, 'welcome ✓')] });
    expect(await runTest(websocket, urlOf(server), options, { timeoutMs: 2000 })).toMatchObject({
      code,
      text,
    });
  });

  test('parts are joined, pings between them are answered, a long message keeps its start', async () => {
    const answers: number[] = [];
    const answer = (code: number) => {
      answers.push(code);
      return [];
    };
    const parts = [
      serverFrame(1, 'first ', false),
      serverFrame(9, 'are you there?'),
      serverFrame(0, 'x'.repeat(60_000), false),
      serverFrame(0, 'last'),
    ];
    await using server = await serving({ greeting: parts, answer });
    const seen = await runTest(websocket, urlOf(server), { ExpectRegex: '^first x+last$' });
    expect(seen, seen.text).toMatchObject({ code: 1 });
    await server.idle();
    expect(answers).toEqual([10, 8]);
  });

  test.each([
    [serverFrame(8, Buffer.from([3, 233])), 'closed the WebSocket: 1001'],
    [
      serverFrame(8, Buffer.concat([Buffer.from([3, 243]), Buffer.from('bye')])),
      'closed the WebSocket: 1011 "bye"',
    ],
    [serverFrame(8, ''), 'closed the WebSocket'],
    [serverFrame(0, 'x'), 'sent a part of no message: this is not the protocol expected'],
    [serverFrame(3, 'x'), 'sent no frame of a WebSocket: this is not the protocol expected'],
    [Buffer.from([0xc1, 0]), 'sent no frame of a WebSocket: this is not the protocol expected'],
    [Buffer.from([0x81, 0x80, 0, 0, 0, 0]), 'sent a masked frame: this is not the protocol expected'],
    [Buffer.from([0x09, 0]), 'sent a long control frame: this is not the protocol expected'],
    [serverFrame(9, 'x'.repeat(126)), 'sent a long control frame: this is not the protocol expected'],
    [
      Buffer.concat([Buffer.from([0x82, 127]), Buffer.alloc(8, 255)]),
      'sent a frame of more than 8 PiB: this is not the protocol expected',
    ],
  ])('the frame %j is 3', async (frame, text) => {
    await using server = await serving({ greeting: [frame] });
    expect(await runTest(websocket, urlOf(server), { ExpectText: 'x' })).toMatchObject({
      code: 3,
      text: `${server.target} ${text}`,
    });
  });
});

test.each([
  [{ ExpectText: 'a', ExpectRegex: 'b' }, 'ExpectRegex'],
  [{ ExpectRegex: '(' }, 'ExpectRegex'],
  [{ Headers: { Upgrade: 'h2c' } }, 'Headers'],
  [{ Subprotocol: 'a b' }, 'Subprotocol'],
])('the Options %j are refused by name', (options, name) => {
  expect(websocket.options.safeParse(options).error?.issues[0]?.path).toEqual([name]);
});
