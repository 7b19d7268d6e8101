import { request as httpRequest, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

describe('the frame of an answer', () => {
  let rest: RestFixture;
  let key: string;
  beforeAll(async () => {
    rest = await createRestFixture({ settings: { corsOrigins: ['https://status.example.org'] } });
    ({ key } = await rest.key((await rest.account('one')).accountNo, 'UW'));
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  /** Nothing is decompressed here. */
  const ask = async (method: string, path: string, headers: Readonly<Record<string, string>> = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const all = { 'X-Forwarded-Proto': 'https', 'Service-API-Key': key, ...headers };
    httpRequest(`${rest.baseUrl}${path}`, { method, headers: all })
      .on('response', resolve)
      .on('error', reject)
      .end();
    const response = await promise;
    return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
  };

  it.each([
    ['br', 'gzip, deflate, br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['gzip', 'gzip, br;q=0', gunzipSync],
  ])('is compressed as %s where %s is accepted', async (encoding, accepted, open) => {
    const whole = await ask('GET', '/openapi.json');
    const small = await ask('GET', '/openapi.json', { 'Accept-Encoding': accepted });
    expect(small.headers).toMatchObject({
      'content-encoding': encoding,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(small.body.length),
      vary: expect.stringContaining('Accept-Encoding'),
    });
    expect(small.body.length).toBeLessThan(whole.body.length / 4);
    expect(open(small.body).equals(whole.body)).toBe(true);
  });

  it.each(['', 'identity', 'br;q=0, gzip;q=0', 'deflate'])(
    'is sent as it is where %j is accepted',
    async (accepted) => {
      const { headers, body } = await ask('GET', '/openapi.json', { 'Accept-Encoding': accepted });
      expect([headers['content-encoding'], body.subarray(0, 1).toString()]).toEqual([undefined, '{']);
    },
  );

  it('is sent as it is where it is short', async () => {
    const { headers } = await ask('GET', '/devices', { 'Accept-Encoding': 'br' });
    expect(headers['content-encoding']).toBeUndefined();
  });

  it('has the form that Accept prefers where fmt is absent; a failure is JSON always', async () => {
    const typeOf = async (path: string, Accept: string) => {
      const { headers } = await ask('GET', path, { Accept });
      return headers['content-type'];
    };
    expect(await typeOf('/devices', 'text/csv')).toBe('text/csv; charset=utf-8; header=present');
    expect(await typeOf('/devices', 'text/xml')).toBe('application/xml; charset=utf-8');
    for (const [path, accept] of [
      ['/devices', '*/*'],
      ['/devices?fmt=json', 'text/csv'],
      ['/devices?Limit=0', 'text/csv'],
      ['/openapi.json', 'application/xml'],
    ] as const)
      expect(await typeOf(path, accept)).toBe('application/json; charset=utf-8');
    expect((await ask('GET', '/devices')).headers['vary']).toContain('Accept');
  });

  it('names its request, by the id that the caller sent or by a new one', async () => {
    const own = await ask('GET', '/hello', { 'X-Request-Id': 'order-66/b' });
    expect(own.headers['x-request-id']).toBe('order-66/b');
    const made = [
      await ask('GET', '/hello'),
      await ask('GET', '/nothing'),
      await ask('GET', '/hello', { 'X-Request-Id': 'two words' }),
    ];
    const ids = made.map(({ headers }) => String(headers['x-request-id']));
    expect(ids.every((id) => /^[0-9a-f]{48}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(3);
  });

  it('may be read by web pages of the origins that the operator named, and of no other', async () => {
    const [open, closed] = [
      await ask('GET', '/devices', { Origin: 'https://status.example.org' }),
      await ask('GET', '/devices', { Origin: 'https://evil.example' }),
    ];
    expect(open.headers).toMatchObject({
      'access-control-allow-origin': 'https://status.example.org',
      'access-control-expose-headers': expect.stringContaining('X-Total-Count'),
      vary: expect.stringContaining('Origin'),
    });
    expect(closed.headers).not.toHaveProperty('access-control-allow-origin');
    const refused = await ask('GET', '/nothing', { Origin: 'https://status.example.org' });
    expect(refused.headers).toHaveProperty('access-control-allow-origin');
  });

  it('answers a browser that asks before its request what it may send, without a key', async () => {
    const question = { 'Access-Control-Request-Method': 'PUT', 'Service-API-Key': '' };
    const open = await ask('OPTIONS', '/devices', { Origin: 'https://status.example.org', ...question });
    expect([open.status, open.body.length, open.headers]).toEqual([
      204,
      0,
      expect.objectContaining({
        'access-control-allow-methods': 'GET,HEAD,POST,PUT,DELETE',
        'access-control-allow-headers': expect.stringMatching(/Service-API-Key.*X-Old-Key/),
      }),
    ]);
    const other = await ask('OPTIONS', '/devices', { Origin: 'https://evil.example', ...question });
    expect(Object.keys(other.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});
