import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { soon } from '../gateway/testing/gateway-fixture.ts';
import { makeAgentKey } from './testing/agent-key.ts';
import { type Answer, sendHttp2, useAgentsPorts } from './testing/agents-port.ts';

const bench = useAgentsPorts();
const day = 86_400_000;
let agent: { agentNo: number; token: string; agentId: string };
let port: Awaited<ReturnType<typeof bench.openPort>>;

beforeEach(async () => {
  agent = await bench.invited();
  port = await bench.openPort();
});
afterEach(() => port[Symbol.asyncDispose]());

const row = () =>
  bench.db.kysely
    .selectFrom('agents')
    .selectAll()
    .where('agent_no', '=', agent.agentNo)
    .executeTakeFirstOrThrow();
const change = (values: { state?: 'Revoked'; token_expires_us?: number }) =>
  bench.db.kysely.updateTable('agents').set(values).where('agent_no', '=', agent.agentNo).execute();
/** How many answers have each status. */
function statuses(answers: readonly Answer[]): Record<number, number> {
  const sums: Record<number, number> = {};
  for (const { status } of answers) sums[status] = (sums[status] ?? 0) + 1;
  return sums;
}

test('a token and a request give a certificate for 7 days that names the agent only, and the authority', async () => {
  const { csr } = await makeAgentKey();
  const answer = await port.enrol({ Token: agent.token, CSR: csr });
  expect(answer).toMatchObject({ status: 200, agent_id: agent.agentId });
  expect(answer.CA).toBe(bench.authorities.trusted.join(''));
  const certificate = new X509Certificate(answer.Certificate ?? '');
  expect(certificate.subject).toBe(`CN=${agent.agentId}`);
  expect(certificate.subjectAltName).toBeUndefined();
  expect(certificate.verify(new X509Certificate(bench.authorities.signing.cert).publicKey)).toBe(true);
  const lasts = Date.parse(certificate.validTo) - Date.parse(certificate.validFrom);
  expect(Math.round(lasts / day)).toBe(7);
  const stored = await row();
  expect(Buffer.from(stored.token_hash)).toEqual(createHash('sha256').update(agent.token).digest());
  expect(JSON.stringify(stored)).not.toContain(agent.token);
});

test('of 50 parallel uses of a token one gets a certificate, and all others are refused', async () => {
  const keys = await Promise.all(Array.from({ length: 50 }, () => makeAgentKey()));
  const answers = await Promise.all(keys.map(({ csr }) => port.enrol({ Token: agent.token, CSR: csr })));
  expect(statuses(answers)).toEqual({ 200: 1, 401: 49 });
});

test('of two tokens that are used with one key at one moment one gets a certificate, and the other request is wrong', async () => {
  for (let round = 0; round < 10; round += 1) {
    const tokens = [await bench.invited(), await bench.invited()].map(({ token }) => token);
    const { csr } = await makeAgentKey();
    const answers = await Promise.all(tokens.map((Token) => port.enrol({ Token, CSR: csr })));
    expect(statuses(answers)).toEqual({ 200: 1, 400: 1 });
  }
});

test('50 parallel uses with one key give one certificate: an answer that was lost can be requested again', async () => {
  const { csr } = await makeAgentKey();
  const ask = { Token: agent.token, CSR: csr };
  const answers = await Promise.all(Array.from({ length: 50 }, () => port.enrol(ask)));
  expect(statuses(answers)).toEqual({ 200: 50 });
  expect(new Set(answers.map(({ Certificate }) => Certificate)).size).toBe(1);
  port.wall.stepWall(9 * 60_000);
  expect((await port.enrol(ask)).Certificate).toBe(answers[0]?.Certificate);
  port.wall.stepWall(2 * 60_000);
  expect(await port.enrol(ask)).toMatchObject({
    status: 401,
    code: 1001,
    message: expect.stringMatching(/used/),
  });
});

test.each([
  ['expired', 401, /expired/, () => change({ token_expires_us: 1 })],
  ['of a revoked agent', 403, /revoked/, () => change({ state: 'Revoked' })],
  [
    'that was used',
    401,
    /used already/,
    async () => port.enrol({ Token: agent.token, CSR: (await makeAgentKey()).csr }),
  ],
])('a token %s is refused', async (_what, status, message, spoil) => {
  await spoil();
  const { csr } = await makeAgentKey();
  const answer = await port.enrol({ Token: agent.token, CSR: csr });
  expect(answer).toMatchObject({ status, message: expect.stringMatching(message) });
  expect(answer.Certificate).toBeUndefined();
});

test('an unknown token is refused before anything of the request is read', async () => {
  const answer = await port.enrol({ Token: 'x'.repeat(64), CSR: 'no request' });
  expect(answer).toMatchObject({
    status: 401,
    code: 1001,
    message: expect.stringContaining('./vantage agents invite'),
  });
});

test.each<[what: string, status: number, body: (csr: string) => unknown]>([
  ['no JSON', 400, () => 'Token'],
  ['an unknown field', 400, (CSR) => ({ Token: agent.token, CSR, Name: 'x' })],
  ['no CSR', 400, () => ({ Token: agent.token })],
  ['a CSR that is none', 400, () => ({ Token: agent.token, CSR: 'x' })],
  ['a CSR with a bad signature', 400, (CSR) => ({ Token: agent.token, CSR: spoiled(CSR) })],
  ['more than 16 KiB', 413, (CSR) => JSON.stringify({ Token: 'x', CSR }).padEnd(16 * 1024 + 1)],
])('%s is answered with %i and spends no token', async (_what, status, body) => {
  const { csr } = await makeAgentKey();
  const answer = await port.send('POST', '/enrol', body(csr));
  expect(answer).toMatchObject({ status, message: expect.stringMatching(/\w/) });
  expect((await row()).key_hash).toBeNull();
});

test('a body of 16 KiB is read', async () => {
  const { csr: CSR } = await makeAgentKey();
  const body = JSON.stringify({ Token: agent.token, CSR }).padEnd(16 * 1024);
  expect(await port.send('POST', '/enrol', body)).toMatchObject({ status: 200 });
});

/** The request with another last byte of its signature. */
function spoiled(csr: string): string {
  const der = Buffer.from(csr.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  der.writeUInt8((der.at(-1) ?? 0) ^ 1, der.length - 1);
  return `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
}

test('the key of one agent cannot enrol another one', async () => {
  const { csr } = await makeAgentKey();
  expect((await port.enrol({ Token: agent.token, CSR: csr })).status).toBe(200);
  const other = await bench.invited();
  expect(await port.enrol({ Token: other.token, CSR: csr })).toMatchObject({
    status: 400,
    message: expect.stringContaining('belongs to another agent'),
  });
});

test('an agent renews by its key: a fresh certificate is repeated, an older one replaced, also after 30 days', async () => {
  const { csr } = await makeAgentKey();
  const first = await port.enrol({ Token: agent.token, CSR: csr });
  port.wall.stepWall(day);
  expect(await port.enrol({ CSR: csr })).toMatchObject({ status: 200, Certificate: first.Certificate });
  port.wall.stepWall(3 * day);
  const second = await port.enrol({ CSR: csr });
  expect(second).toMatchObject({ status: 200, agent_id: agent.agentId });
  expect(second.Certificate).not.toBe(first.Certificate);
  port.wall.stepWall(30 * day);
  const third = await port.enrol({ CSR: csr });
  const end = Date.parse(new X509Certificate(third.Certificate ?? '').validTo);
  expect(end * 1000).toBeGreaterThan(port.wall.nowUs() + 6 * day * 1000);
});

test('a revoked agent is never renewed, and a key that nobody enrolled gets nothing', async () => {
  const { csr } = await makeAgentKey();
  expect((await port.enrol({ CSR: csr })).status).toBe(401);
  await port.enrol({ Token: agent.token, CSR: csr });
  await change({ state: 'Revoked' });
  port.wall.stepWall(6 * day);
  expect(await port.enrol({ CSR: csr })).toMatchObject({
    status: 403,
    message: expect.stringMatching(/revoked/),
  });
});

test('HTTP/2 is answered like HTTP/1.1, and the connection closes after the answer', async () => {
  const { csr } = await makeAgentKey();
  const body = JSON.stringify({ Token: agent.token, CSR: csr });
  const ca = bench.authorities.trusted.join('');
  const answer = await sendHttp2(port.url, { ca }, { method: 'POST', path: '/enrol', body });
  expect(answer).toMatchObject({ status: 200, agent_id: agent.agentId });
  await answer.closed;
});

test.each([
  ['GET', '/enrol', 405],
  ['POST', '/install.sh', 405],
  ['GET', '/', 404],
  ['POST', '/vantage.v1.AgentService/Connect', 404],
  ['GET', '/parcel/../../etc/passwd', 404],
])('%s %s is refused with %i', async (method, url, status) => {
  expect(await port.send(method, url)).toMatchObject({ status, message: expect.stringMatching(/\w/) });
});

test('one network may send 200 requests at once, and more than that get 429', async () => {
  const unknown = { Token: 'unknown', CSR: 'x' };
  const answers: Answer[] = [];
  for (let n = 0; n < 7; n += 1)
    answers.push(...(await Promise.all(Array.from({ length: 30 }, () => port.enrol(unknown)))));
  expect(statuses(answers)).toEqual({ 401: 200, 429: 10 });
  await port.wall.advance(1_000);
  expect((await port.enrol(unknown)).status).toBe(401);
});

test('the installer downloads the script with the authority, and the parcels, by its token until it expires', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-parcels-'));
  const scriptFile = path.join(folder, 'install.sh');
  writeFileSync(scriptFile, "#!/bin/sh\nCA_PEM='@VANTAGE_CA@'\n");
  writeFileSync(path.join(folder, 'vantage-agent-linux-amd64.tar.gz'), 'parcel');
  await using served = await bench.openPort({ scriptFile, parcels: folder });
  const get = (url: string, token = agent.token) =>
    served.send('GET', url, undefined, { authorization: `Bearer ${token}` });
  const ca = bench.authorities.trusted.join('');
  expect(await get('/install.sh')).toMatchObject({
    status: 200,
    text: `#!/bin/sh\nCA_PEM='${ca}'\n`,
    type: 'text/x-shellscript',
  });
  expect(await get('/parcel/linux-amd64.tar.gz')).toMatchObject({
    status: 200,
    text: 'parcel',
    type: 'application/gzip',
  });
  expect(await get('/parcel/linux-arm64.tar.gz')).toMatchObject({
    status: 404,
    message: expect.stringContaining('npm run parcel'),
  });
  expect(await get('/install.sh', 'unknown')).toMatchObject({ status: 401 });
  expect(await served.send('GET', '/install.sh')).toMatchObject({ status: 401 });
  expect((await served.enrol({ Token: agent.token, CSR: (await makeAgentKey()).csr })).status).toBe(200);
  expect(await get('/install.sh')).toMatchObject({ status: 200 });
  await change({ token_expires_us: served.wall.nowUs() });
  expect(await get('/install.sh')).toMatchObject({ status: 200 });
  served.wall.stepWall(1);
  expect(await get('/install.sh')).toMatchObject({ status: 401, message: expect.stringMatching(/expired/) });
  rmSync(folder, { recursive: true });
});

test('an agent downloads a parcel and its signature with its certificate, until it is revoked; a stranger gets nothing', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-parcels-'));
  writeFileSync(path.join(folder, 'vantage-agent-linux-amd64.tar.gz'), 'parcel');
  writeFileSync(path.join(folder, 'vantage-agent-linux-amd64.tar.gz.sig'), 'signature');
  await using served = await bench.openPort({ parcels: folder });
  const { key, csr } = await makeAgentKey();
  const { Certificate: cert = '' } = await served.enrol({ Token: agent.token, CSR: csr });
  const ca = bench.authorities.trusted.join('');
  const get = (url: string, proof: { cert?: string; key?: string } = { cert, key }) =>
    sendHttp2(served.url, { ca, ...proof }, { method: 'GET', path: url });
  const url = '/parcel/linux-amd64.tar.gz';
  expect(await get(url)).toMatchObject({ status: 200, text: 'parcel' });
  expect(await get(`${url}.sig`)).toMatchObject({ status: 200, text: 'signature', type: 'application/json' });
  expect(await get('/parcel/linux-arm64.tar.gz.sig')).toMatchObject({
    status: 404,
    message: expect.stringContaining('./vantage parcel sign'),
  });
  expect((await get('/install.sh')).status).toBe(401);
  expect((await get(url, {})).status).toBe(401);
  await change({ state: 'Revoked' });
  expect(await get(url)).toMatchObject({ status: 403, message: expect.stringMatching(/revoked/) });
  rmSync(folder, { recursive: true });
});

test('four downloads run at once, and a fifth must try again', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-parcels-'));
  writeFileSync(path.join(folder, 'vantage-agent-linux-amd64.tar.gz'), Buffer.alloc(32 * 1024 * 1024));
  await using served = await bench.openPort({ parcels: folder });
  const headers = { authorization: `Bearer ${agent.token}` };
  const { port: number } = new URL(served.url);
  const ca = bench.authorities.trusted.join('');
  const open = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const to = { host: '127.0.0.1', servername: 'localhost', port: number, ca, agent: false };
      const out = request({ ...to, path: '/parcel/linux-amd64.tar.gz', headers }, resolve);
      out.once('error', reject);
      out.end();
    });
  // Nobody reads these answers, and they are longer than what the sockets hold.
  const four = await Promise.all([open(), open(), open(), open()]);
  expect(four.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
  const fifth = await open();
  expect(fifth.statusCode).toBe(503);
  expect(fifth.headers['retry-after']).toBe('5');
  for (const answer of [...four, fifth]) answer.destroy();
  await vi.waitFor(async () => {
    const next = await open();
    next.destroy();
    expect(next.statusCode).toBe(200);
  }, soon);
  rmSync(folder, { recursive: true });
});
