import { request as httpRequest } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type OneAccount, startOneAccount } from '../../src/testing/one-account.ts';
import type { Send } from '../../src/testing/rest-fixture.ts';

describe('a request that is not quite right', () => {
  let one: OneAccount;
  let device: string;
  beforeAll(async () => {
    one = await startOneAccount();
    const body = { Method: 'TCP', URL: 'a.example:1', ShortName: 'a' };
    const { json } = await one.send('POST', '/devices', body);
    device = `/devices/${z.object({ device_id: z.string() }).parse(json).device_id}`;
  });
  afterAll(() => one[Symbol.asyncDispose]());

  /** The code and the text of an answer. */
  const ask = async (method: string, path: string, send: Send = {}): Promise<string> => {
    const reply = await one.send(method, path, undefined, send);
    if (reply.status === 200) return '200';
    const { code, message } = z.object({ code: z.int(), message: z.string() }).parse(reply.json);
    return `${code} ${message}`;
  };

  it.each([
    ['/devices?limit=5', 'limit is not a known query parameter; did you mean Limit?'],
    ['/devices?Offest=5', 'Offest is not a known query parameter; did you mean Offset?'],
    ['/devices?FMT=xml', 'FMT is not a known query parameter; did you mean fmt?'],
    ['/devices?nothing=like+it', 'nothing is not a known query parameter'],
    ['/devices?Limit=5&Limit=6', 'Limit was sent 2 times; send it once'],
    ['/devices?fmt=json&fmt=xml', 'fmt was sent 2 times; send it once'],
    ['/hello?limit=1', 'limit is not a known query parameter'],
    ['/openapi.json?formt=json', 'formt is not a known query parameter; did you mean fmt?'],
    ['/openapi.json?fmt=xml', 'fmt must be json here, but "xml" was sent'],
    ['/hello?fmt=yaml', 'fmt must be one of json, xml, csv, but "yaml" was sent'],
  ])('GET %s gets a message that says so', async (path, message) => {
    expect(await ask('GET', path)).toBe(`1004 ${message}${message.endsWith('?') ? '' : '.'}`);
  });

  it('is judged in the query before its id and its body', async () => {
    expect(await ask('PUT', `${device}/start-maintenance?Duration=00:10`)).toContain('1004');
    expect(await ask('PUT', '/devices/x?fmt=y', { raw: 'no json' })).toContain('1004');
    expect(await ask('PUT', '/devices/x', { raw: 'no json' })).toContain('1003');
    expect(await ask('GET', device)).toBe('200');
  });

  it('may hold a NUL, which the database cannot store, in no parameter and no part of a path', async () => {
    for (const { method, path, query, level } of one.rest.routes) {
      if (level === 'none') continue;
      const asked = path.replaceAll(/\{(\w+)\}/g, 'a%00');
      if (asked !== path) expect(await ask(method, asked)).toMatch(/^1003 No such /);
      for (const name of Object.keys(query?.shape ?? {}))
        expect(await ask(method, `${asked}?${name}=a%00`)).toMatch(new RegExp(`^1004 .*${name}`));
    }
  });

  it('may carry the time in _, as caches are avoided', async () => {
    expect(await ask('GET', '/devices?_=1790000000&_=2&Limit=5')).toBe('200');
  });

  it('has no unknown field in its body, also where no body is needed', async () => {
    for (const [method, path] of [
      ['PUT', `${device}/stop-maintenance`],
      ['POST', `${device}/check`],
    ] as const)
      expect(await ask(method, path, { body: { Duration: '00:10' } })).toBe(
        '1004 Duration is not a known field.',
      );
    expect(await ask('PUT', `${device}/stop-maintenance`, { body: {} })).toBe('200');
    expect(await ask('PUT', device, { body: { shortname: 'b' } })).toBe(
      '1004 shortname is not a known field; did you mean ShortName?',
    );
  });

  it('has no field twice in its body', async () => {
    const twice = '{"FullName":"a","Options":{"Send":"x","Send":"y"}}';
    expect(await ask('PUT', device, { raw: twice })).toBe(
      '1000 The body holds the field Options.Send twice. Send each field once.',
    );
  });

  it('may carry the same key in several headers, and in one header twice', async () => {
    const headers = (one: string, other: string) => ({
      headers: { 'Service-API-Key': one, 'X-Old-Key': other },
    });
    expect(await ask('GET', '/devices', headers(one.key, one.key))).toBe('200');
    expect(await ask('GET', '/devices', headers(`${one.key}, ${one.key}`, one.key))).toBe('200');
    expect(await ask('GET', '/devices', headers(`${one.key}, x`, one.key))).toContain('1001');
  });

  /** A request with its headers as they stand, in pairs; the status, the headers and the text of the answer. */
  const raw = async (method: string, path: string, headers: readonly string[] = []) => {
    const base = ['Host', 'localhost', 'X-Forwarded-Proto', 'https', 'Service-API-Key', one.key];
    const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>();
    httpRequest(`${one.rest.baseUrl}${path}`, { method, headers: [...base, ...headers], setHost: false })
      .on('response', resolve)
      .on('error', reject)
      .end();
    const response = await promise;
    return { status: response.statusCode, headers: response.headers, text: await textOf(response) };
  };

  it('has one header Host', async () => {
    const reply = await raw('GET', '/hello', ['Host', 'other.example']);
    expect([reply.status, JSON.parse(reply.text)]).toEqual([
      400,
      { code: 1000, message: 'The header Host was sent 2 times. Send it once.', reason: 'malformed' },
    ]);
  });

  it.each(['/hello', '/devices', '/devices?fmt=csv', '/devices?nonsense=1', '/nothing', '/events?stream'])(
    'HEAD %s is answered like GET, without the body',
    async (path) => {
      const [head, get] = [
        await raw('HEAD', path),
        path.includes('stream') ? undefined : await raw('GET', path),
      ];
      expect(head.text).toBe('');
      if (get === undefined) expect(head.headers['content-type']).toBe('text/event-stream; charset=utf-8');
      else
        expect([head.status, head.headers['content-type'], head.headers['content-length']]).toEqual([
          get.status,
          get.headers['content-type'],
          get.headers['content-length'],
        ]);
    },
  );

  it.each([
    ['HEAD', '/devices/x/check', 'POST'],
    ['PATCH', '/devices', 'GET, HEAD, POST, PUT'],
    ['PROPFIND', '/hello', 'GET, HEAD'],
    ['TRACE', '/tags/x', 'DELETE, GET, HEAD, PUT'],
  ])('%s %s gets the verbs that exist', async (method, path, allow) => {
    const { status, headers } = await raw(method, path);
    expect([status, headers.allow]).toEqual([400, allow]);
  });

  it('OPTIONS names the verbs of a path, without a key', async () => {
    const { status, headers, text } = await raw('OPTIONS', '/devices', ['Service-API-Key', '']);
    expect([status, headers.allow, text]).toEqual([204, 'GET, HEAD, POST, PUT, OPTIONS', '']);
    expect((await raw('OPTIONS', '/nothing')).status).toBe(400);
  });

  it.each([
    ['/Devices', 'Did you mean /v1.1/devices?'],
    ['/Tags/%20/', undefined],
    ['/nothing', undefined],
  ])('%s is no address; the one that was likely meant is named', async (path, hint) => {
    const { message } = JSON.parse((await raw('GET', path)).text) as { readonly message: string };
    if (hint === undefined) expect(message).toMatch(/describes all of them\.( Did|$)/);
    else expect(message).toContain(hint);
  });

  it('a path in a batch begins after the version', async () => {
    const body = { Operations: [{ Method: 'GET', Path: '/v1.1/Devices' }] };
    const { json } = await one.rest.send('POST', '/batch', { key: one.key, body });
    expect(JSON.stringify(json)).toContain('Did you mean /devices?');
  });

  it.each([
    ['page=2', 'Offset'],
    ['per_page=5', 'Limit'],
    ['q=x', 'Search'],
    ['order=Status', 'Sort'],
  ])('the parameter %s of other APIs gets the right name', async (query, name) => {
    expect(await ask('GET', `/devices?${query}`)).toContain(`did you mean ${name}?`);
  });

  it('an empty If-Match guards nothing and is refused', async () => {
    expect(await ask('PUT', device, { body: { FullName: 'x' }, headers: { 'If-Match': '' } })).toBe(
      '1004 If-Match is empty; send the ETag that you have read, or leave it out.',
    );
  });

  it('has an answer that ends with a line break', async () => {
    for (const path of [
      '/hello',
      '/devices',
      '/devices?fmt=xml',
      '/devices?fmt=csv',
      '/openapi.json',
      '/nothing',
    ])
      expect((await raw('GET', path)).text.endsWith('\n')).toBe(true);
  });

  it('is greeted in the form asked for', async () => {
    const json = JSON.parse((await raw('GET', '/hello?fmt=json&filename=hello.json')).text);
    expect(json).toEqual({
      Address: '127.0.0.1',
      Time: '2026-09-21T14:13:20Z',
      Key: one.key,
      KeyType: 'API',
      AuthLevel: 'UA',
      HTTPAuth: false,
    });
    expect((await raw('GET', '/hello?fmt=xml')).text).toContain('<hello><Address>127.0.0.1</Address>');
    for (const path of ['/hello', '/openapi.json'])
      expect((await raw('GET', `${path}?filename=a.txt`)).headers['content-disposition']).toBe(
        'attachment; filename="a.txt"',
      );
  });
});
