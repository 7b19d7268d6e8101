// The configurations of docs/behind-a-proxy.md, with the ports and files of this test, in Debian's nginx and Caddy.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type RequestOptions, request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@vantage/testing/free-port';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type Api, createApi } from '../../harness/api.ts';
import { startAgent } from '../../harness/more-agents.ts';
import { repositoryRoot } from '../../harness/system.ts';
import { operate, publicUrl, system } from './system.ts';

const nginx = '/usr/sbin/nginx';
const caddy = '/usr/bin/caddy';
const streamModule = process.env['NGINX_STREAM_MODULE'] ?? '/usr/lib/nginx/modules/ngx_stream_module.so';
const hasStream = existsSync(streamModule);
const soon = { timeout: 120_000, interval: 100 };

const folder = mkdtempSync(path.join(tmpdir(), 'vantage-proxy-'));
const page = readFileSync(path.join(repositoryRoot, 'docs/behind-a-proxy.md'), 'utf8');
/** Where nginx passes the agents' bytes on. */
let agentUrl: string;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The blocks of the page in this language. */
const blocksOf = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, block = '']) => block,
  );

/** A block with the ports and files of this test in place of the page's. */
function configured(block: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((text, [theirs, ours]) => {
    expect(text).toContain(theirs);
    return text.replaceAll(theirs, ours);
  }, block);
}

/** Certificate and key of the proxy, and the address of the controller behind it. */
function surroundings() {
  const { base_url, agent_endpoint, ca_file } = system.quickstart();
  const tls = path.join(system.dataDir, 'tls');
  const [certificate, key] = [path.join(tls, 'server.pem'), path.join(tls, 'server.key')];
  const behind = `127.0.0.1:${new URL(base_url).port}`;
  const agents = `127.0.0.1:${new URL(agent_endpoint).port}`;
  return { certificate, key, ca: ca_file, behind, agents };
}

async function startNginx(): Promise<ChildProcess> {
  const [web = '', stream = ''] = blocksOf('nginx');
  const { certificate, key, ca, behind, agents } = surroundings();
  const agentPort = await freePort();
  agentUrl = `https://localhost:${agentPort}`;
  const http = configured(web, [
    ['/etc/ssl/vantage.example.org.pem', certificate],
    ['/etc/ssl/vantage.example.org.key', key],
    ['/etc/nginx/vantage-ca.pem', ca],
    ['listen 443 ssl', `listen 127.0.0.1:${new URL(publicUrl).port} ssl`],
    ['127.0.0.1:8443', behind],
  ]);
  const bytes = configured(stream, [
    ['listen 8444', `listen 127.0.0.1:${agentPort}`],
    ['127.0.0.1:18444', agents],
  ]);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${path.join(folder, name)};`,
  );
  const text = [
    hasStream ? `load_module ${streamModule};` : '',
    `daemon off; pid ${path.join(folder, 'pid')}; error_log ${path.join(folder, 'error.log')};`,
    'events {}',
    `http { access_log off; ${places.join(' ')}\n${http}}`,
    hasStream ? bytes : '',
  ];
  const file = path.join(folder, 'nginx.conf');
  writeFileSync(file, text.join('\n'));
  return spawn(nginx, ['-c', file, '-p', folder], { stdio: 'ignore' });
}

async function startCaddy(): Promise<ChildProcess> {
  const [block = ''] = blocksOf('caddy');
  const { certificate, key, ca, behind } = surroundings();
  const site = configured(block, [
    // Outside of this test Caddy gets the certificate of the name itself.
    [
      'vantage.example.org {',
      `${publicUrl} {\n  bind 127.0.0.1\n  tls ${certificate} ${key}\n  log {\n    output discard\n  }`,
    ],
    ['/etc/caddy/vantage-ca.pem', ca],
    ['127.0.0.1:8443', behind],
  ]);
  const file = path.join(folder, 'Caddyfile');
  writeFileSync(file, `{\n  admin off\n  auto_https disable_redirects\n}\n${site}`);
  const env = { PATH: process.env['PATH'], HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  return spawn(caddy, ['run', '--config', file, '--adapter', 'caddyfile'], { env, stdio: 'ignore' });
}

const device = z.object({ device_id: z.string() });

/** A request through the proxy from an address of this machine: its status and its body. */
function send(
  place: string,
  { body, ...options }: Pick<RequestOptions, 'method' | 'localAddress' | 'headers'> & { body?: string } = {},
): Promise<string> {
  const ca = readFileSync(system.quickstart().ca_file);
  return new Promise((resolve, reject) => {
    request(`${publicUrl}${place}`, { ca, family: 4, ...options }, (answer) => {
      let text = `${answer.statusCode} `;
      answer.on('data', (piece: Buffer) => (text += piece.toString()));
      answer.on('end', () => resolve(text));
    })
      .on('error', reject)
      .end(body);
  });
}

describe.each([
  ['nginx', nginx, startNginx],
  ['Caddy', caddy, startCaddy],
] as const)('%s', (name, program, start) => {
  const isThere = existsSync(program);
  let child: ChildProcess | undefined;
  let proxied: Api;
  beforeAll(async () => {
    if (!isThere) return;
    child = await start();
    const { ca_file, api_key_uw } = system.quickstart();
    proxied = createApi({ baseUrl: `${publicUrl}/v1.1`, caFile: ca_file, key: api_key_uw });
    await vi.waitFor(() => proxied.ok('GET', '/account'), soon);
  }, 240_000);
  afterAll(async () => {
    proxied?.close();
    if (child?.exitCode !== null) return;
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  });
  beforeEach(({ skip }) => skip(!isThere, `${program} is missing`));

  const create = async (ShortName: string) =>
    device.parse(await proxied.ok('POST', '/devices', { Method: 'TCP', URL: '127.0.0.1:9', ShortName }));

  test('the page and its documents come through', async () => {
    for (const place of ['/', '/docs', '/docs/behind-a-proxy'])
      expect(await send(place)).toMatch(/^200 <!doctype html>/i);
  });

  test('the API knows the address of the caller, and believes no caller who states another one', async () => {
    const { device_id } = await create(`${name}-1`);
    const localAddress = '127.0.0.77';
    const answer = await send(`/v1.1/devices/${device_id}`, {
      method: 'PUT',
      localAddress,
      body: JSON.stringify({ Timeout: 7 }),
      headers: {
        'Service-API-Key': system.quickstart().api_key_uw,
        'Content-Type': 'application/json',
        'X-Forwarded-For': '192.0.2.77',
      },
    });
    expect(answer).toMatch(/^200 /);
    const entries = z
      .array(z.object({ Address: z.string() }))
      .parse(await proxied.ok('GET', `/audit?Id=${device_id}&Limit=1`));
    expect(entries).toEqual([{ Address: localAddress }]);
  });

  test('events come as they happen', async () => {
    const { ca_file, api_key_uw } = system.quickstart();
    const ca = readFileSync(ca_file);
    let text = '';
    const headers = { 'Service-API-Key': api_key_uw };
    const asked = request(`${publicUrl}/v1.1/events?stream`, { ca, headers });
    asked.on('response', (answer) => answer.on('data', (piece: Buffer) => (text += piece.toString())));
    asked.on('error', () => {});
    asked.end();
    try {
      await vi.waitFor(() => expect(text).toContain(':'), soon);
      const { device_id } = await create(`${name}-2`);
      await vi.waitFor(() => expect(text).toContain(device_id), soon);
    } finally {
      asked.destroy();
    }
  });
});

test('an agent connects through nginx to its port, with the token of an invitation', {
  timeout: 240_000,
}, async ({ skip }) => {
  skip(!existsSync(nginx), `${nginx} is missing`);
  skip(!hasStream, `${streamModule} is missing (package libnginx-mod-stream)`);
  await operate('locations', 'create', 'behind');
  const invited = await operate('agents', 'invite', '--location', 'behind');
  const child = await startNginx();
  const to = { endpoint: agentUrl, ca: system.quickstart().ca_file };
  await using agent = startAgent(system, 'behind', { name: 'behind', to, invited });
  const row = z.array(z.object({ agent_id: z.string(), State: z.string() }));
  try {
    await vi.waitFor(async () => {
      const all = row.parse(await system.api.ok('GET', '/agents'));
      expect(all).toContainEqual(expect.objectContaining({ agent_id: agent.agentId, State: 'Connected' }));
    }, soon);
  } finally {
    child.kill('SIGTERM');
  }
});
