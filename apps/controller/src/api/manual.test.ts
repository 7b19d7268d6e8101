import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRestFixture, type RestFixture } from '../testing/rest-fixture.ts';
import { manualPages } from './manual.ts';

let rest: RestFixture;
const pages = new Map<string, string>();
const get = (path: string) =>
  fetch(`${rest.baseUrl.replace('/v1.1', '')}${path}`, { headers: { 'X-Forwarded-Proto': 'https' } });

beforeAll(async () => {
  rest = await createRestFixture();
  for (const name of manualPages) pages.set(name, await (await get(`/docs/${name}`)).text());
});
afterAll(() => rest[Symbol.asyncDispose]());

const idsOf = (text: string) => [...text.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);

test('the index leads to each document and to the reference', async () => {
  const reply = await get('/docs');
  const text = await reply.text();
  expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
  const links = [...text.matchAll(/href="([^"]+)"/g)].map(
    ([, to = '']) => new URL(to, 'https://h/docs').pathname,
  );
  for (const to of links) expect([to, (await get(to)).status]).toEqual([to, 200]);
  expect(links.length).toBeGreaterThan(manualPages.length);
});

describe.each(manualPages)('the document %s', (name) => {
  test('is HTML that runs nothing and loads nothing from elsewhere', async () => {
    const reply = await get(`/docs/${name}`);
    expect(reply.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    const text = pages.get(name) ?? '';
    expect(text).toMatch(/<h1 id="[^"]+">/);
    expect(text).not.toMatch(/<(script|img|iframe|style|object)|src=| on[a-z]+="/i);
  });

  test('has links that lead to a heading', () => {
    const text = pages.get(name) ?? '';
    expect(new Set(idsOf(text)).size).toBe(idsOf(text).length);
    const links = [...text.matchAll(/<a href="(?!http)([a-z-]*)(?:#([^"]*))?"/g)];
    for (const [link, page = '', anchor] of links) {
      const target = page === '' ? text : pages.get(page);
      expect(target, link).toBeDefined();
      if (anchor !== undefined) expect(idsOf(target ?? ''), link).toContain(anchor);
    }
  });
});

test('a table and code are as in the document', () => {
  const text = pages.get('rest') ?? '';
  expect(text).toContain('<td>UR</td><td>view</td>');
  expect(text).toContain('<code>GET /v1.1/openapi.json</code>');
});
