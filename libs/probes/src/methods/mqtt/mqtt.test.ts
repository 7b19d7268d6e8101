import { expect, test } from 'vitest';
import { listen, makeCertificate, probeContract, runTest } from '../../testing/index.ts';
import { type MqttServerSettings, serveMqtt } from '../../testing/mqtt-server.ts';
import { secureServer } from '../../testing/secure-server.ts';
import { mqtt } from './mqtt.ts';

const login = { User: 'probe', Password: 'right' };

probeContract({
  probe: mqtt,
  serverFirst: false,
  url: (port) => `127.0.0.1:${port}`,
  options: { ...login, Topic: 'a/b', Message: 'hello' },
  serve: (socket) => serveMqtt(socket, { password: 'right' }),
  withSecret: (port, secret) => ({
    url: `mqtt://probe:${encodeURIComponent(secret)}@127.0.0.1:${port}`,
    options: { Password: secret, TLS: { ClientKey: secret } },
  }),
});

const serving = (settings: MqttServerSettings = {}) => listen((socket) => serveMqtt(socket, settings));
const versions = ['3.1.1', '5'] as const;

test.each(versions)('connects, sends a message by MQTT %s and gets it back', async (Version) => {
  const received: number[] = [];
  await using server = await serving({ password: 'right', received });
  const options = { ...login, Version, Topic: 'a/b', Message: 'hello ✓' };
  const seen = await runTest(mqtt, server.target, options);
  expect(seen, seen.text).toMatchObject({
    code: 1,
    text: 'the message came back',
    values: [{ Label: 'Round trip', Unit: 'ms' }],
  });
  expect(seen.phases.ttfb).toBeGreaterThan(0);
  expect(seen.phases.ttlb).toBeGreaterThan(0);
  await server.idle();
  // CONNECT, SUBSCRIBE, PUBLISH, PUBACK, DISCONNECT
  expect(received).toEqual([1, 8, 3, 4, 14]);
});

test.each([
  ['3.1.1', {}, {}, 1, 'connection accepted'],
  ['5', {}, {}, 1, 'connection accepted'],
  ['3.1.1', { Topic: 'a/#' }, {}, 1, 'connection accepted, subscribed to "a/#"'],
  ['3.1.1', {}, { password: 'other' }, 8, 'login refused: "not authorized"'],
  ['5', {}, { password: 'other' }, 8, 'login refused: "user or password are wrong"'],
  [
    '3.1.1',
    {},
    { refusal: 1 },
    3,
    'the server refuses the connection: it does not speak this version of MQTT',
  ],
  ['5', {}, { refusal: 1 }, 3, 'the server refuses the connection: it does not speak this version of MQTT'],
  ['3.1.1', {}, { refusal: 3 }, 3, 'the server refuses the connection: it is unavailable'],
  ['5', {}, { refusal: 200 }, 3, 'the server refuses the connection: code 200'],
  ['3.1.1', { Topic: 'a' }, { grant: 128 }, 7, 'the subscription to "a" is refused'],
  ['5', { Topic: 'a' }, { grant: 135 }, 8, 'the subscription to "a" is refused: not authorized'],
  [
    '5',
    { Topic: 'a' },
    { grant: 143 },
    7,
    'the subscription to "a" is refused: it does not accept this topic',
  ],
])('MQTT %s with %j at a server with %j is %4$i', async (Version, options, settings, code, text) => {
  await using server = await serving(settings);
  expect(await runTest(mqtt, server.target, { ...login, ...options, Version })).toMatchObject({ code, text });
});

test.each(versions)(
  'a retained message of MQTT %s fulfils an expectation, but is no way back',
  async (Version) => {
    await using server = await serving({ retained: 'state: online', forward: () => [] });
    const expecting = { Version, Topic: 'a', ExpectMessage: 'online' };
    expect(await runTest(mqtt, server.target, expecting)).toMatchObject({
      code: 1,
      text: 'a message with "online" came',
    });
    const sending = { Version, Topic: 'a', Message: 'state: online' };
    expect(await runTest(mqtt, server.target, sending, { timeoutMs: 300 })).toMatchObject({
      code: 7,
      text: 'expected a message with "state: online", the last one was "state: online"',
    });
  },
);

test('an answer to the message may be another one', async () => {
  await using server = await serving({ forward: (message) => ['noise', `${message} pong`] });
  const options = { Topic: 'a', Message: 'ping', ExpectMessage: 'pong' };
  expect(await runTest(mqtt, server.target, options)).toMatchObject({ code: 1 });
});

test('a message that does not come is an expectation that is not met', async () => {
  await using server = await serving();
  const seen = await runTest(mqtt, server.target, { Topic: 'a', ExpectMessage: 'x' }, { timeoutMs: 300 });
  expect(seen).toMatchObject({ code: 7, text: 'expected a message with "x", none came' });
});

test.each([
  [Buffer.from([0x20, 0x03, 0, 0, 0]), 'sent no answer of MQTT'],
  [Buffer.from([0x20, 0xff, 0xff, 0xff, 0x7f]), 'sent a first packet of 268435455 bytes'],
  [Buffer.from([0x20, 0x80, 0x80, 0x80, 0x80]), 'sent a length of more than 4 bytes'],
  [Buffer.from('HTTP/1.1 400 Bad Request\r\n'), 'sent no answer of MQTT'],
  [Buffer.from([0xe0, 1, 142]), 'ended the session: another client has this ClientId'],
  [Buffer.from([0x20, 2, 0, 0, 0x32, 3, 0, 9, 1]), 'sent a malformed message'],
  [Buffer.from([0x20, 2, 0, 0, 0x40, 2, 0, 7]), 'sent an acknowledgement of nothing'],
  [Buffer.from([0x20, 2, 0, 0, 0x90, 3, 0, 7, 1]), 'sent no answer to the subscription'],
])('the bytes %j are 3 at once', async (bytes, text) => {
  await using server = await listen((socket) => {
    socket.once('data', () => void socket.write(bytes));
  });
  const seen = await runTest(mqtt, server.target, { Topic: 'a' }, { timeoutMs: 60_000 });
  expect(seen).toMatchObject({ code: 3, text: expect.stringContaining(`${server.target} ${text}`) });
});

test('speaks TLS by mqtts:// and on port 8883', async () => {
  const tls = makeCertificate();
  await using server = await listen(secureServer(tls, (socket) => serveMqtt(socket)));
  const seen = await runTest(mqtt, `mqtts://${server.target}`, { TLS: { CA: tls.cert } });
  expect(seen, seen.text).toMatchObject({ code: 1 });
  expect(seen.phases.ssl).toBeGreaterThan(0);
  expect(mqtt.parseTarget('mqtts://h')).toMatchObject({ ok: true, target: { port: 8883 } });
  expect(mqtt.parseTarget('h')).toMatchObject({ ok: true, target: { port: 1883 } });
});

test.each([
  [{ Message: 'x' }, 'Message'],
  [{ Message: 'x', Topic: 'a/+' }, 'Message'],
  [{ ExpectMessage: 'x' }, 'ExpectMessage'],
  [{ Topic: 'a\0' }, 'Topic'],
  [{ Version: '3.1' }, 'Version'],
])('the Options %j are refused by name', (options, name) => {
  expect(mqtt.options.safeParse(options).error?.issues[0]?.path).toEqual([name]);
});

test.each(versions)(
  'without a login a demand for one by MQTT %s is good, unless a topic needs it',
  async (Version) => {
    await using server = await serving({ password: 'right' });
    expect(await runTest(mqtt, server.target, { Version })).toMatchObject({
      code: 1,
      text: 'MQTT answers, and requires a login',
    });
    expect(await runTest(mqtt, server.target, { Version, Topic: 'a' })).toMatchObject({ code: 8 });
  },
);
