import { execFile } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { systemClock as clock, createLog } from '@vantage/kernel';
import { closedPort } from '@vantage/probes/testing';
import { freePort } from '@vantage/testing/free-port';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { startOneAccount } from '../../testing/one-account.ts';
import { createQuietExporter } from './quiet-exporter.ts';
import { startFakeCollector } from './testing/fake-collector.ts';
import { openTracing } from './tracing.ts';

const run = promisify(execFile);
const log = createLog('test', 'silent');
const soon = { timeout: 60_000, interval: 20 };
const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerSpan = 'b7ad6b7169203331';

const open = (url: string) => openTracing({ url, version: 'test', controllerId: 'c1', clock, log });

it('shows each request with its route, status and id, and its statements as children', async () => {
  await using collector = await startFakeCollector();
  await using tracing = await open(`${collector.url}/`);
  await using one = await startOneAccount({ tracing });
  const id = await one.create('/devices', { Method: 'TCP', URL: 'example.org:9', ShortName: 'a' });
  const headers = { traceparent: `00-${traceId}-${callerSpan}-01`, 'X-Request-Id': 'deploy-42' };
  await one.send('GET', `/devices/${id}`, undefined, { headers });
  await one.send('GET', '/devices?Limit=0');
  await tracing[Symbol.asyncDispose]();
  const read = collector.spans().find(({ name }) => name === 'GET /v1.1/devices/{device_id}');
  expect(read).toMatchObject({
    traceId,
    parentSpanId: callerSpan,
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/v1.1/devices/{device_id}',
      'http.response.status_code': 200,
      'vantage.request_id': 'deploy-42',
    },
  });
  const statements = collector.spans().filter(({ parentSpanId }) => parentSpanId === read?.spanId);
  expect(statements.map(({ name }) => name)).toContainEqual(expect.stringMatching(/^SELECT \w+$/));
  const refused = collector.spans().find(({ name }) => name === 'GET /v1.1/devices');
  expect(refused?.attributes['http.response.status_code']).toBe(400);
  expect(refused?.traceId).not.toBe(traceId);
});

it('sends no key, password, secret, address, query or id of a thing', async () => {
  await using collector = await startFakeCollector();
  await using tracing = await open(collector.url);
  await using one = await startOneAccount({ tracing });
  const { rest, accountNo, key } = one;
  const basic = { user: 'sentinel-user', password: 'sentinel-password' };
  const { key: second } = await rest.key(accountNo, 'UW', basic);
  const Authorization = `Basic ${Buffer.from(`${basic.user}:${basic.password}`).toString('base64')}`;
  await rest.send('GET', `/devices?api_key=${second}&Search=sentinel-query`, { headers: { Authorization } });
  await one.send('POST', '/secrets', { Name: 'sentinel-name', Value: 'sentinel-value' });
  const device = await one.create('/devices', {
    Method: 'HTTP',
    URL: 'https://sentinel-me:sentinel-pw@sentinel-host.example/',
    ShortName: 'sentinel',
    Options: { Headers: { Cookie: 'sentinel-cookie' } },
  });
  await one.send('DELETE', `/devices/${device}`);
  await one.send('GET', '/sentinel-path');
  const broken = tracing.traced(
    'work',
    () => sql`select ${'sentinel-value'}, 'sentinel-text'::int`.execute(rest.db.kysely),
    () => ({}),
  );
  await expect(broken()).rejects.toThrow('sentinel-text');
  await one.send('GET', '/devices', undefined, { headers: { tracestate: 'a=sentinel-state' } });
  await tracing[Symbol.asyncDispose]();
  const sent = collector.received.join('\n');
  const failed = collector.spans().filter(({ status: { code } }) => code === 2);
  expect(failed.map(({ name }) => name)).toEqual(['SELECT', 'work']);
  for (const word of ['sentinel', key, second, device, Authorization, 'password', 'Basic'])
    expect([word, sent.includes(word)]).toEqual([word, false]);
});

it('measures work with its outcome, and what it does as its children', async () => {
  await using collector = await startFakeCollector();
  await using tracing = await open(collector.url);
  const fold = tracing.traced(
    'fold',
    async (rows: readonly string[]) => rows.length,
    (length) => ({ length }),
  );
  const batch = tracing.traced(
    'ingest batch',
    async () => fold(['a', 'b']),
    (length) => ({ length }),
  );
  expect(await batch()).toBe(2);
  await tracing[Symbol.asyncDispose]();
  const [inner, outer] = collector.spans();
  expect([inner?.name, inner?.attributes, inner?.parentSpanId]).toEqual([
    'fold',
    { length: 2 },
    outer?.spanId,
  ]);
  expect([outer?.name, outer?.parentSpanId]).toEqual(['ingest batch', undefined]);
});

it('costs a collector that is away one line of the log, and none of the work', async () => {
  const lines: string[] = [];
  const noted = createLog('test', 'info', { write: (line) => void lines.push(line) });
  const port = await freePort();
  const exporter = createQuietExporter({
    url: `http://127.0.0.1:${port}/v1/traces`,
    log: noted,
    timeoutMs: 500,
  });
  const send = () => new Promise<number>((resolve) => exporter.export([], ({ code }) => resolve(code)));
  expect([await send(), await send()]).toEqual([0, 0]);
  expect(lines).toEqual([expect.stringContaining('does not accept spans; they are dropped')]);
  await using _collector = await startFakeCollector(port);
  await vi.waitFor(async () => {
    await send();
    expect(lines).toEqual([expect.anything(), expect.stringContaining('accepts spans again')]);
  }, soon);
  await exporter.shutdown();

  await using tracing = await open(`http://127.0.0.1:${closedPort}`);
  const work = tracing.traced(
    'work',
    async () => 1,
    () => ({}),
  );
  for (let round = 0; round < 5_000; round += 1) expect(await work()).toBe(1);
});

it('loads no module of OpenTelemetry until a collector is set', async () => {
  const note = `import { registerHooks } from 'node:module';
    const seen = new Set();
    registerHooks({ load(url, context, next) { seen.add(/@opentelemetry\\/[a-z-]+/.exec(url)?.[0]); return next(url, context); } });
    process.on('exit', () => console.log([...seen].filter(Boolean).join('\\n')));`;
  const modules = async (...program: string[]) => {
    const hook = `data:text/javascript,${encodeURIComponent(note)}`;
    const env = { PATH: process.env['PATH'], VANTAGE_HTTPS_PORT: 'none' };
    const ended = run(process.execPath, ['--import', hook, ...program], { env });
    const { stdout } = await ended.catch((error: unknown) => z.object({ stdout: z.string() }).parse(error));
    return stdout.trim().split('\n');
  };
  // The program ends at the wrong port, after all that it imports is loaded. The metrics library imports the names of
  // the API.
  expect(await modules(path.join(import.meta.dirname, '../..', 'main.ts'))).toEqual(['@opentelemetry/api']);
  const opening = (url: string) =>
    `const { openTracing } = await import('${pathToFileURL(path.join(import.meta.dirname, 'tracing.ts')).href}');
    await using tracing = await openTracing({ url: ${url} });`;
  const off = await modules('--input-type=module', '-e', opening('undefined'));
  expect(off).toEqual(['']);
  const on = await modules('--input-type=module', '-e', opening("'http://localhost:9'"));
  expect(on).toContain('@opentelemetry/sdk-trace');
});
