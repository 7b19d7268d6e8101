// The configuration of docs/behind-a-proxy.md, with the ports and files of this test, in Debian's nginx.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type Api, createApi } from '../harness/api.ts';
import { freePort } from '../harness/free-port.ts';
import { operate, startAgent } from '../harness/more-agents.ts';
import { repositoryRoot, type System, startSystem } from '../harness/system.ts';

const nginx = '/usr/sbin/nginx';
const streamModule = process.env['NGINX_STREAM_MODULE'] ?? '/usr/lib/nginx/modules/ngx_stream_module.so';
const hasNginx = existsSync(nginx);
const hasStream = existsSync(streamModule);
const soon = { timeout: 120_000, interval: 100 };

const folder = mkdtempSync(path.join(tmpdir(), 'vantage-nginx-'));
const page = readFileSync(path.join(repositoryRoot, 'docs/behind-a-proxy.md'), 'utf8');
const [web = '', agents = ''] = [...page.matchAll(/^```nginx\n([\s\S]*?)^```/gm)].map(
  ([, block = '']) => block,
);

let system: System;
let proxied: Api;
let child: ChildProcess | undefined;
let base: string;
let agentUrl: string;

/** Ports and files of the page, and those of this test in their place. */
function configured(block: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((text, [ours, theirs]) => {
    expect(text).toContain(ours);
    return text.replaceAll(ours, theirs);
  }, block);
}

beforeAll(async () => {
  if (!hasNginx) return;
  const [webPort, agentPort] = [await freePort(), await freePort()];
  base = `https://localhost:${webPort}`;
  agentUrl = `https://localhost:${agentPort}`;
  system = await startSystem({
    timeoutMs: 500_000,
    env: { VANTAGE_PUBLIC_URL: base, VANTAGE_AGENT_URL: agentUrl, VANTAGE_TRUSTED_PROXIES: '127.0.0.1,::1' },
  });
  const { base_url, agent_endpoint, ca_file } = system.quickstart();
  const tls = path.join(system.dataDir, 'tls');
  const [certificate, key] = [path.join(tls, 'server.pem'), path.join(tls, 'server.key')];
  const files: [string, string][] = [
    ['/etc/ssl/vantage.example.org.pem', certificate],
    ['/etc/ssl/vantage.example.org.key', key],
    ['/etc/nginx/vantage-ca.pem', ca_file],
  ];
  const http = configured(web, [
    ...files,
    ['listen 443 ssl', `listen 127.0.0.1:${webPort} ssl`],
    ['127.0.0.1:8443', `localhost:${new URL(base_url).port}`],
  ]);
  const stream = configured(agents, [
    ['listen 8444', `listen 127.0.0.1:${agentPort}`],
    ['127.0.0.1:18444', `localhost:${new URL(agent_endpoint).port}`],
  ]);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${path.join(folder, name)};`,
  );
  const text = [
    hasStream ? `load_module ${streamModule};` : '',
    `daemon off; pid ${path.join(folder, 'pid')}; error_log ${path.join(folder, 'error.log')};`,
    'events {}',
    `http { access_log off; ${places.join(' ')}\n${http}}`,
    hasStream ? stream : '',
  ];
  const file = path.join(folder, 'nginx.conf');
  writeFileSync(file, text.join('\n'));
  child = spawn(nginx, ['-c', file, '-p', folder], { stdio: 'ignore' });
  proxied = createApi({
    baseUrl: `${base}/v1.1`,
    caFile: ca_file,
    key: system.quickstart().api_key_uw,
  });
  await vi.waitFor(() => proxied.ok('GET', '/account'), soon);
}, 900_000);
afterAll(async () => {
  proxied?.close();
  child?.kill('SIGTERM');
  await system?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(({ skip }) => skip(!hasNginx, `${nginx} is missing`));

const device = z.object({ device_id: z.string() });
const create = async (ShortName: string) =>
  device.parse(await proxied.ok('POST', '/devices', { Method: 'TCP', URL: '127.0.0.1:9', ShortName }));

test('the page and its documents come through nginx', async () => {
  const ca = readFileSync(system.quickstart().ca_file);
  for (const place of ['/', '/docs', '/docs/behind-a-proxy']) {
    const text = await new Promise<string>((resolve, reject) => {
      request(`${base}${place}`, { ca }, (answer) => {
        let body = `${answer.statusCode} `;
        answer.on('data', (piece: Buffer) => (body += piece.toString()));
        answer.on('end', () => resolve(body));
      })
        .on('error', reject)
        .end();
    });
    expect(text).toMatch(/^200 <!doctype html>/i);
  }
});

test('the API knows the address of the caller behind nginx', async () => {
  const { device_id } = await create('proxied');
  const headers = { 'X-Forwarded-For': '192.0.2.77' };
  expect((await proxied.call('PUT', `/devices/${device_id}`, { Timeout: 7 }, headers)).status).toBe(200);
  const entries = z
    .array(z.object({ Address: z.string() }))
    .parse(await proxied.ok('GET', `/audit?Id=${device_id}&Limit=1`));
  expect(entries).toEqual([{ Address: '192.0.2.77' }]);
});

test('events come through nginx as they happen', async () => {
  const { ca_file, api_key_uw } = system.quickstart();
  const ca = readFileSync(ca_file);
  let text = '';
  const asked = request(`${base}/v1.1/events?stream`, { ca, headers: { 'Service-API-Key': api_key_uw } });
  asked.on('response', (answer) => answer.on('data', (piece: Buffer) => (text += piece.toString())));
  asked.on('error', () => {});
  asked.end();
  try {
    await vi.waitFor(() => expect(text).toContain(':'), soon);
    const { device_id } = await create('streamed');
    await vi.waitFor(() => expect(text).toContain(device_id), soon);
  } finally {
    asked.destroy();
  }
});

test('an agent connects through nginx to its port, with the line of an invitation', async (context) => {
  context.skip(!hasStream, `${streamModule} is missing (package libnginx-mod-stream)`);
  operate(system, 'locations', 'create', 'behind');
  const to = { endpoint: agentUrl, ca: system.quickstart().ca_file };
  await using agent = startAgent(system, 'behind', { name: 'behind', to });
  const row = z.array(z.object({ agent_id: z.string(), State: z.string() }));
  await vi.waitFor(async () => {
    const all = row.parse(await proxied.ok('GET', '/agents'));
    expect(all).toContainEqual(expect.objectContaining({ agent_id: agent.agentId, State: 'Connected' }));
  }, soon);
});
