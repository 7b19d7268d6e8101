import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { browserProgram } from '@vantage/testing/browser-program';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRestFixture, type RestFixture } from '../testing/rest-fixture.ts';

let rest: RestFixture;

beforeAll(async () => {
  rest = await createRestFixture();
});
afterAll(() => rest[Symbol.asyncDispose]());

const get = (address: string) =>
  fetch(new URL(address, rest.baseUrl), { headers: { 'X-Forwarded-Proto': 'https' } });

it('shows the reference page without a key, under a policy that lets nothing come from elsewhere', async () => {
  const page = await get('/docs/api');
  const html = await page.text();
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; /);
  expect(page.headers.get('content-security-policy')).not.toMatch(/unsafe|http/);
  const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
  expect(links.length).toBe(5);
  for (const link of links) {
    expect(link).not.toMatch(/^(?:[a-z]+:|\/)/);
    const part = await get(new URL(link, new URL('/docs/api', rest.baseUrl)).pathname);
    expect([link, part.status]).toEqual([link, 200]);
    expect(part.headers.get('x-content-type-options')).toBe('nosniff');
    await part.arrayBuffer();
  }
});

it('is made in a browser of the document, without a report of the policy', async ({ skip }) => {
  skip(browserProgram === undefined, 'this machine has no Chromium');
  // The browser cannot send the header of the proxy that the API trusts, so this server adds it.
  const proxy = createServer((request, response) => {
    void get(request.url ?? '/').then(async (answer) => {
      const headers = ['content-type', 'content-security-policy'].flatMap((name) => {
        const value = answer.headers.get(name);
        return value === null ? [] : [[name, value] as const];
      });
      response.writeHead(answer.status, Object.fromEntries(headers)).end(await answer.text());
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const profile = await mkdtemp(path.join(tmpdir(), 'docs-page-'));
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--enable-logging=stderr', '--dump-dom'];
  try {
    const [dom, log] = await new Promise<[string, string]>((resolve) => {
      execFile(
        browserProgram ?? '',
        [
          ...flags,
          `--user-data-dir=${profile}`,
          '--virtual-time-budget=30000',
          `http://127.0.0.1:${port}/docs/api`,
        ],
        { timeout: 90_000, maxBuffer: 64 << 20 },
        (_, stdout, stderr) => resolve([stdout, stderr]),
      );
    });
    expect(log.split('\n').filter((line) => line.includes('CONSOLE'))).toEqual([]);
    // Of so many operations the browser has only those in sight; the filter finds the others.
    for (const text of ['sayHello', 'receiveNotification', 'Filter by tag or path'])
      expect(dom).toContain(text);
  } finally {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
    await rm(profile, { recursive: true, force: true });
  }
});
