import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { createDocument } from '@vantage/rest-kit/document';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

let rest: RestFixture;
beforeAll(async () => {
  rest = await createRestFixture();
});
afterAll(() => rest[Symbol.asyncDispose]());

const ask = (path: string, headers: Readonly<Record<string, string>>) =>
  new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }>(
    (resolve, reject) => {
      const sent = { 'X-Forwarded-Proto': 'https', ...headers };
      request(new URL(path, rest.baseUrl), { headers: sent }, (answer) => {
        buffer(answer).then((body) => {
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body });
        }, reject);
      })
        .on('error', reject)
        .end();
    },
  );

describe.each(['/v1.1/openapi.json', '/docs/api', '/docs/api/swagger-ui-bundle.js', '/docs/api/page.js'])(
  'the document %s',
  (path) => {
    it('has the same bytes and the same strong ETag in each encoding at each request', async () => {
      const plain = await ask(path, {});
      expect(plain.status).toBe(200);
      const decode = { '': (bytes: Buffer) => bytes, gzip: gunzipSync, br: brotliDecompressSync };
      const tags = new Map<string, Buffer>();
      for (const accepted of ['', 'gzip', 'br', 'br', 'gzip', ''] as const) {
        const { headers, body } = await ask(path, accepted === '' ? {} : { 'Accept-Encoding': accepted });
        const used = headers['content-encoding'];
        expect(decode[used === 'br' || used === 'gzip' ? used : ''](body).equals(plain.body)).toBe(true);
        expect(headers.vary).toBe('Accept-Encoding');
        const tag = String(headers.etag);
        expect(tag).toMatch(/^"[0-9a-f]{32}(-br|-gzip)?"$/);
        expect((tags.get(tag) ?? body).equals(body)).toBe(true);
        tags.set(tag, body);
      }
      expect(tags.size).toBe(plain.body.length > 1024 ? 3 : 1);
    });

    it('is not sent again to a caller who has its bytes in this encoding', async () => {
      for (const accepted of ['identity', 'gzip', 'br']) {
        const first = await ask(path, { 'Accept-Encoding': accepted });
        const tag = String(first.headers.etag);
        const again = await ask(path, { 'Accept-Encoding': accepted, 'If-None-Match': tag });
        expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, tag]);
        const changed = await ask(path, { 'Accept-Encoding': accepted, 'If-None-Match': '"other"' });
        expect([changed.status, changed.headers.etag]).toEqual([200, tag]);
      }
    });
  },
);

it('makes the bytes of a document once, and again after a read that failed', async () => {
  let reads = 0;
  const document = createDocument(async () => {
    reads += 1;
    if (reads === 1) throw new Error('no file');
    return 'x'.repeat(2_000);
  });
  await expect(document.as('br')).rejects.toThrow('no file');
  const [one, other] = await Promise.all([document.as('br'), document.as('br')]);
  expect(one.bytes).toBe(other.bytes);
  expect((await document.as('br')).bytes).toBe(one.bytes);
  expect(reads).toBe(2);
});
