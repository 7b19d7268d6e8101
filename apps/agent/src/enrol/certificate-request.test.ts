import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { systemClock } from '@vantage/kernel';
import { expect, test } from 'vitest';
import { requestCertificate } from './certificate-request.ts';

const signal = new AbortController().signal;

test.each<[status: number, body: string, reply: object]>([
  [
    200,
    '{"agent_id":"a","Certificate":"c","CA":"d"}',
    { kind: 'granted', grant: { agentId: 'a', certificate: 'c', ca: 'd' } },
  ],
  [200, '{}', { kind: 'failed', text: 'the controller answered with no certificate' }],
  [200, '{"agent_id":"a","Certificate":"c","CA":"d"}'.padEnd(65_536), { kind: 'granted' }],
  [
    200,
    '{"agent_id":"a","Certificate":"c","CA":"d"}'.padEnd(65_537),
    { kind: 'failed', text: 'the answer is too long' },
  ],
  [400, '{"message":"no"}', { kind: 'refused', text: 'no' }],
  [401, '{"code":1001,"message":"used"}', { kind: 'refused', text: 'used' }],
  [403, '{"code":1002,"message":"revoked"}', { kind: 'revoked', text: 'revoked' }],
  [404, '', { kind: 'failed', text: 'status 404' }],
  [503, '{"code":1503,"message":"later"}', { kind: 'failed', text: 'later' }],
  [429, 'x', { kind: 'failed', text: 'status 429' }],
])('the answer %i %s of a controller is read', async (status, body, reply) => {
  let sent = '';
  const server = createServer((request, response) => {
    void text(request).then((found) => {
      sent = `${request.method} ${request.url} ${found}`;
      response.writeHead(status).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const to = { endpoint: `http://127.0.0.1:${port}`, ca: undefined, proxy: undefined, clock: systemClock };
  expect(await requestCertificate(to, { Token: 't', CSR: 'c' }, signal)).toMatchObject(reply);
  expect(sent).toBe('POST /enrol {"Token":"t","CSR":"c"}');
  await new Promise((resolve) => server.close(resolve));
});

test('an agent that ends does not wait for an answer', async () => {
  const server = createServer(() => {}); // answers never
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const ending = new AbortController();
  const to = { endpoint: `http://127.0.0.1:${port}`, ca: undefined, proxy: undefined, clock: systemClock };
  const reply = requestCertificate(to, { CSR: 'c' }, ending.signal);
  server.once('stream', () => ending.abort());
  expect(await reply).toEqual({ kind: 'failed', text: 'the agent ends' });
  await new Promise((resolve) => server.close(resolve));
});
