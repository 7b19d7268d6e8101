import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { browserMissing, startBrowser } from '../../browser/browser.ts';
import { system } from './system.ts';

const root = path.join(import.meta.dirname, '../../..');
const folder = mkdtempSync(path.join(tmpdir(), 'client-package-'));
const run = (file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  execFileSync(file, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, ...env } });

afterAll(() => rmSync(folder, { recursive: true }));

function reachesRegistry(): boolean {
  try {
    run('npm', ['view', '--silent', 'openapi-fetch', 'version']);
    return true;
  } catch {
    return false;
  }
}

const program = `import { ApiError, createSender, createVantageClient, events, ifUnchanged, pages } from '@vantage/client';
const baseUrl = process.env.BASE_URL ?? '';
const send = createSender({ key: process.env.KEY ?? '' });
const api = createVantageClient({ baseUrl, fetch: send });
const ending = new AbortController();
const heard = (async () => {
  for await (const event of events(send, baseUrl + '/events?stream=Y', { signal: ending.signal }))
    if (event.ShortName === 'pack') return event.Type;
  return 'nothing';
})();
await new Promise((resolve) => setTimeout(resolve, 1000));
const { data, error } = await api.POST('/devices', { body: { Method: 'TCP', URL: '127.0.0.1:9', ShortName: 'pack' } });
if (error !== undefined || data === undefined) throw new Error(error?.message);
const params = { path: { device_id: data.device_id } };
const { response } = await api.GET('/devices/{device_id}', { params });
const put = await api.PUT('/devices/{device_id}', { params, body: { Timeout: 7 }, headers: ifUnchanged(response) });
const stale = await api.PUT('/devices/{device_id}', { params, body: { Timeout: 8 }, headers: ifUnchanged(response) });
const refused = await pages(send, baseUrl + '/nothing', { most: 1 })
  .next()
  .then(() => 0, (error: unknown) => (error instanceof ApiError ? error.code : 1));
const found: unknown[] = [];
for await (const { body } of pages(send, baseUrl + '/devices?Limit=1&Search=pack', { most: 9 })) found.push(body);
const answer = { heard: await heard, put: put.data?.Timeout, stale: stale.error?.code, refused, pages: found.length };
console.log(JSON.stringify(answer));
process.exit(0);
`;
test('the packed client installs into an empty folder, compiles there, and works against a controller', (context) => {
  const tarball = execFileSync(
    process.execPath,
    [path.join(root, 'agent-installer/src/pack-client.ts'), folder],
    {
      encoding: 'utf8',
    },
  ).trim();
  expect(existsSync(tarball)).toBe(true);
  const listed = run('tar', ['-tzf', tarball]).trim().split('\n');
  expect(listed).toEqual(
    expect.arrayContaining(['package/README.md', 'package/LICENSE', 'package/dist/index.d.ts']),
  );
  writeFileSync(path.join(folder, 'package.json'), '{"name":"elsewhere","private":true,"type":"module"}');
  const install = ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline'];
  try {
    run('npm', [...install, tarball]);
  } catch (error) {
    // Users' machines may have no registry. Where npm reaches it, the failure is the package's.
    context.skip(
      !reachesRegistry(),
      'npm does not reach its registry, which has the dependency of the package',
    );
    throw error;
  }
  mkdirSync(path.join(folder, 'src'));
  writeFileSync(path.join(folder, 'src/main.ts'), program);
  const options = [
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--lib',
    'es2024,dom',
    '--outDir',
    'out',
  ];
  const types = ['--types', 'node', '--typeRoots', path.join(root, 'node_modules/@types')];
  run(path.join(root, 'node_modules/.bin/tsc'), [...options, ...types, 'src/main.ts']);
  const { base_url, api_key_uw, ca_file } = system.quickstart();
  const answer = run(process.execPath, ['out/main.js'], {
    BASE_URL: base_url,
    KEY: api_key_uw,
    NODE_EXTRA_CA_CERTS: ca_file,
  });
  expect(JSON.parse(answer)).toEqual({ heard: 'Created', put: 7, stale: 1005, refused: 1000, pages: 1 });
}, 600_000);

const page = `<!doctype html><meta charset="utf-8"><title>elsewhere</title>
<script type="importmap">{"imports": {
  "@vantage/client": "/elsewhere/node_modules/@vantage/client/dist/index.js",
  "openapi-fetch": "/elsewhere/node_modules/openapi-fetch/dist/index.mjs"
}}</script>
<script type="module">
  import { createSender, createVantageClient, events, pages } from '@vantage/client';
  globalThis.run = async (key) => {
    const baseUrl = location.origin + '/v1.1';
    const send = createSender({ key });
    const api = createVantageClient({ baseUrl, fetch: send });
    const ending = new AbortController();
    const first = await api.GET('/events', { params: { query: { Limit: 1 } } });
    const heard = events(send, baseUrl + '/events?stream=Y', { after: first.data[0].event_id, signal: ending.signal });
    const body = { Method: 'TCP', URL: '127.0.0.1:9', ShortName: 'chromium' };
    const { data, error } = await api.POST('/devices', { body });
    if (error) throw new Error(error.message);
    // Other devices have events, too.
    let event;
    do event = await heard.next();
    while (event.value.device_id !== data.device_id);
    ending.abort();
    const rows = [];
    for await (const { body } of pages(send, baseUrl + '/devices?Limit=1&Search=chromium', { most: 9 })) rows.push(...body);
    const isListed = rows.some(({ device_id }) => device_id === data.device_id);
    return { heard: event.value.Type, isListed };
  };
</script>`;

test('the installed package works in Chromium as it is, without a bundler', async (context) => {
  const installed = path.join(folder, 'node_modules/@vantage/client/dist/index.js');
  context.skip(browserMissing !== undefined, browserMissing);
  context.skip(!existsSync(installed), 'the package could not be installed');
  const { dashboard_url, api_key_uw } = system.quickstart();
  const { origin } = new URL(dashboard_url);
  await using browser = await startBrowser();
  const window = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
  const problems: string[] = [];
  window.on('pageerror', ({ message }) => problems.push(message));
  // The page and the package's files come from elsewhere; the API is the controller's.
  await window.route(`${origin}/elsewhere/**`, async (route) => {
    const file = new URL(route.request().url()).pathname.replace('/elsewhere/', '');
    const asked = file === '' ? page : readFileSync(path.join(folder, file), 'utf8');
    await route.fulfill({ contentType: file === '' ? 'text/html' : 'text/javascript', body: asked });
  });
  await window.goto(`${origin}/elsewhere/`);
  await window.waitForFunction('typeof globalThis.run === "function"');
  const answer = await window.evaluate(`globalThis.run(${JSON.stringify(api_key_uw)})`);
  expect({ answer, problems }).toEqual({ answer: { heard: 'Created', isListed: true }, problems: [] });
}, 600_000);
