import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readSite } from '@vantage/rest-kit/serve-site';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

const html = { Accept: 'text/html,application/xhtml+xml' };
const script = `console.log('${'long enough to be compressed '.repeat(100)}');`;
let folder: string;
let rest: RestFixture;
let bare: RestFixture;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-site-'));
  mkdirSync(path.join(folder, 'assets'));
  writeFileSync(path.join(folder, 'index.html'), '<!doctype html><title>the page</title>');
  writeFileSync(path.join(folder, 'assets/index-1a2b.js'), script);
  writeFileSync(path.join(folder, '.sources'), 'no file of the page');
  rest = await createRestFixture({ site: readSite(folder) });
  bare = await createRestFixture({ site: readSite(path.join(folder, 'missing')) });
});
afterAll(async () => {
  await rest[Symbol.asyncDispose]();
  await bare[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const get = (address: string, headers: Record<string, string> = {}, from = rest) =>
  fetch(new URL(address, from.baseUrl), { headers: { 'X-Forwarded-Proto': 'https', ...headers } });

it('shows the page under a policy that admits files of this server only, and asks for it again each time', async () => {
  const page = await get('/');
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('the page');
  expect(page.headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  );
  expect(page.headers.get('cache-control')).toBe('no-cache');
  const etag = page.headers.get('etag') ?? '';
  expect((await get('/', { 'If-None-Match': etag })).status).toBe(304);
});

it('files whose name changes with their content are kept by browsers, and come compressed', async () => {
  const file = await get('/assets/index-1a2b.js', { 'Accept-Encoding': 'br' });
  expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(await file.text()).toBe(script);
  expect(Number(file.headers.get('content-length'))).toBeLessThan(script.length / 4);
});

it.each(['/devices', '/devices/27ffe370', '/alerts', '/nothing/at/all'])(
  'a browser that opens %s gets the page',
  async (address) => {
    expect(await (await get(address, html)).text()).toContain('the page');
  },
);

it.each([
  '/v1.1',
  '/v1.1/nothing',
  '/docs/rest/more',
  '/docs/nothing',
  '/metrics/x',
  '/healthz/x',
  '/assets/gone.js',
  '/x.png',
])('a browser that opens %s does not get the page', async (address) => {
  const answer = await get(address, html);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ code: 1000 });
});

it('programs that ask for no HTML learn that an address does not exist, and nothing is written to the page', async () => {
  expect((await get('/devices')).status).toBe(400);
  const sent = await fetch(new URL('/', rest.baseUrl), {
    method: 'POST',
    headers: { 'X-Forwarded-Proto': 'https' },
  });
  expect(sent.status).toBe(400);
});

it.each(['/.sources', '/../package.json', '/assets/../index.html%00', '/assets/'])(
  '%s is no file of the page',
  async (address) => {
    expect((await get(address)).status).toBe(400);
  },
);

it('where the page is not built, / says how to build it', async () => {
  const answer = await get('/', html, bare);
  expect(answer.status).toBe(404);
  expect(await answer.text()).toContain('npm start');
});
