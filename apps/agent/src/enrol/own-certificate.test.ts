import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLog, Secret, systemClock } from '@vantage/kernel';
import { Goodbye_Reason } from '@vantage/proto';
import { beforeEach, expect, test } from 'vitest';
import type { EnrolReply } from './certificate-request.ts';
import { openIdentityFolder } from './identity-folder.ts';
import { createOwnCertificate } from './own-certificate.ts';
import { certify, keyOf } from './testing/certify.ts';

const day = 86_400_000_000;
const startUs = Date.UTC(2026, 0, 1) * 1000;
const signal = new AbortController().signal;
let dataDir: string;
let nowUs: number;
let asked: { endpoint: string; Token?: string; CSR: string }[];

/** The authorities that the agent trusted in each question, and what it wrote to its log. */
let trusted: (string | undefined)[];

let logged: string[];
let answers: ((csr: string) => EnrolReply | Promise<EnrolReply>)[];

beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'vantage-enrol-'));
  nowUs = startUs;
  asked = [];
  trusted = [];
  logged = [];
  answers = [];
  return () => rmSync(dataDir, { recursive: true });
});

const grant = async (csr: string): Promise<EnrolReply> => ({
  kind: 'granted',
  grant: {
    agentId: 'a1',
    certificate: await certify(csr, { fromUs: nowUs, toUs: nowUs + 7 * day }),
    ca: 'CA',
  },
});

const refuse = (): EnrolReply => ({ kind: 'refused', text: 'no' });
const fail = (): EnrolReply => ({ kind: 'failed', text: 'silence' });

/** The agent's enrolment as after a start; `answers` are those of the controller, in this sequence. */
async function start({
  token = 'token',
  hadSessions = false,
  ca = 'GIVEN',
}: {
  token?: string | null;
  hadSessions?: boolean;
  ca?: string | undefined;
} = {}) {
  const note = (...line: readonly unknown[]) => void logged.push(String(line.at(-1)));
  return createOwnCertificate({
    folder: await openIdentityFolder(dataDir),
    endpoints: ['https://one', 'https://two'],
    token: token === null ? undefined : new Secret(token),
    ca: ca === '' ? undefined : ca,
    proxy: undefined,
    hadSessions,
    clock: systemClock,
    nowUs: () => nowUs,
    random: () => 0,
    log: Object.assign(createLog('test', 'silent'), { info: note, warn: note, error: note }),
    request: async (to, body) => {
      asked.push({ endpoint: to.endpoint, ...body });
      trusted.push(to.ca);
      return (await answers.shift()?.(body.CSR)) ?? fail();
    },
  });
}

const file = (name: string) => path.join(dataDir, 'identity', name);

test('an agent with a token makes a key, enrols once and shows its certificate from then on, without the token', async () => {
  answers = [grant];
  const enrolment = await start();
  const proof = await enrolment.prove('https://one', signal);
  expect(proof).toMatchObject({ kind: 'certificate', ca: 'CA\nGIVEN' });
  expect(asked).toMatchObject([{ endpoint: 'https://one', Token: 'token' }]);
  expect(await enrolment.prove('https://two', signal)).toEqual(proof);
  expect(await (await start({ token: null })).prove('https://two', signal)).toEqual(proof);
  expect(asked).toHaveLength(1);
  expect(statSync(file('agent.key')).mode & 0o777).toBe(0o600);
  expect(readFileSync(file('agent.pub'), 'utf8')).toContain('BEGIN PUBLIC KEY');
  for (const name of ['agent.key', 'agent.pub', 'agent.crt', 'ca.pem', 'agent.json'])
    expect(readFileSync(file(name), 'utf8')).not.toMatch(/"?token"/);
});

test('an answer that was lost is requested again with the same key, also after a restart', async () => {
  answers = [fail, fail, grant];
  const first = await start();
  expect(await first.prove('https://one', signal)).toMatchObject({ kind: 'none', reason: { kind: 'lost' } });
  expect((await first.prove('https://two', signal)).kind).toBe('none');
  expect((await (await start()).prove('https://one', signal)).kind).toBe('certificate');
  expect(new Set(asked.map(({ CSR }) => keyOf(CSR))).size).toBe(1);
});

test.each([
  ['that had no session before ends', false, true],
  ['that had sessions before goes on and tries again', true, false],
])('an agent %s when its token is refused', async (_what, hadSessions, ends) => {
  answers = [refuse, refuse];
  const enrolment = await start({ hadSessions });
  const proof = enrolment.prove('https://one', signal);
  if (ends) await expect(proof).rejects.toMatchObject({ code: 'enrolment_refused' });
  else expect(await proof).toMatchObject({ kind: 'none', reason: { kind: 'refused', text: 'no' } });
});

test('the certificate is renewed after two thirds of its time, by the key alone', async () => {
  answers = [grant, fail, grant];
  const enrolment = await start();
  await enrolment.prove('https://one', signal);
  nowUs += 4 * day;
  await enrolment.renewIfDue(signal);
  expect(asked).toHaveLength(1);
  nowUs += day;
  await enrolment.renewIfDue(signal);
  expect(asked.slice(1)).toEqual([
    { endpoint: 'https://one', CSR: expect.any(String) },
    { endpoint: 'https://two', CSR: expect.any(String) },
  ]);
  expect(logged).toEqual([
    'this agent enrolled',
    'the certificate cannot be renewed: silence',
    'the certificate is renewed',
  ]);
  await enrolment.renewIfDue(signal);
  expect(asked).toHaveLength(3);
  expect(trusted).toEqual(['GIVEN', 'CA\nGIVEN', 'CA\nGIVEN']);
});

test('for a renewal one controller after the other is asked, up to the first that grants it or until the agent ends', async () => {
  await (await start()).renewIfDue(signal);
  expect(asked).toEqual([]);
  answers = [grant];
  const enrolment = await start({ ca: '' });
  await enrolment.prove('https://one', signal);
  expect(trusted).toEqual([undefined]);
  nowUs += 5 * day;
  const ending = new AbortController();
  answers = [
    () => {
      ending.abort();
      return fail();
    },
  ];
  await enrolment.renewIfDue(ending.signal);
  answers = [fail, fail];
  await enrolment.renewIfDue(signal);
  answers = [grant];
  await enrolment.renewIfDue(signal);
  expect(asked.map(({ endpoint }) => endpoint.slice(8))).toEqual(['one', 'one', 'one', 'two', 'one']);
  expect(logged.filter((line) => line.includes('cannot'))).toEqual([
    'the certificate cannot be renewed: silence',
    'the certificate cannot be renewed: silence',
  ]);
});

test('a certificate that was granted just now is used, though by the clock of the host it is over', async () => {
  const over = async (csr: string): Promise<EnrolReply> => ({
    kind: 'granted',
    grant: {
      agentId: 'a1',
      certificate: await certify(csr, { fromUs: nowUs - 7 * day, toUs: nowUs - day }),
      ca: 'CA',
    },
  });
  answers = [over, over];
  const enrolment = await start();
  expect((await enrolment.prove('https://one', signal)).kind).toBe('certificate');
  expect((await enrolment.prove('https://one', signal)).kind).toBe('certificate');
  expect(asked.map(({ Token }) => Token)).toEqual(['token', undefined]);
});

test('an agent whose certificate and key are refused goes on asking, and has no token to fall back on', async () => {
  answers = [grant];
  await (await start()).prove('https://one', signal);
  const enrolment = await start({ token: null });
  enrolment.refused();
  answers = [refuse];
  expect(await enrolment.prove('https://one', signal)).toMatchObject({
    kind: 'none',
    reason: { text: 'no' },
  });
  rmSync(file('agent.key'));
  const lost = await (await start({ token: null })).prove('https://one', signal);
  const text = 'the agent has neither a certificate nor a token';
  expect(lost).toMatchObject({ kind: 'none', reason: { kind: 'lost', text } });
  expect(asked).toHaveLength(2);
});

test('an agent that was away for 30 days renews before it connects, and goes on without a token', async () => {
  answers = [grant];
  const first = await (await start()).prove('https://one', signal);
  nowUs += 30 * day;
  answers = [grant];
  const proof = await (await start({ token: null })).prove('https://one', signal);
  expect(proof.kind).toBe('certificate');
  expect(proof).not.toEqual(first);
  expect(asked[1]).toEqual({ endpoint: 'https://one', CSR: expect.any(String) });
});

test('a refused certificate is renewed; a key that the controller does not know enrols again by the token', async () => {
  answers = [grant];
  const enrolment = await start();
  await enrolment.prove('https://one', signal);
  enrolment.refused();
  answers = [refuse, grant];
  expect((await enrolment.prove('https://one', signal)).kind).toBe('certificate');
  expect(asked.map(({ Token }) => Token)).toEqual(['token', undefined, 'token']);
});

test('a revoked agent hears so, and a certificate in force outlasts a controller that does not answer', async () => {
  answers = [grant];
  const enrolment = await start();
  const proof = await enrolment.prove('https://one', signal);
  enrolment.refused();
  answers = [fail];
  expect(await enrolment.prove('https://one', signal)).toEqual(proof);
  expect(asked.map(({ Token }) => Token)).toEqual(['token', undefined]);
  answers = [() => ({ kind: 'revoked', text: 'gone' })];
  expect(await enrolment.prove('https://one', signal)).toEqual({
    kind: 'none',
    reason: { kind: 'goodbye', reason: Goodbye_Reason.REVOKED, text: 'gone' },
  });
});

test('another token makes another agent of it, with a new key; a bad one changes nothing', async () => {
  answers = [grant];
  const first = await (await start()).prove('https://one', signal);
  const key = readFileSync(file('agent.key'), 'utf8');
  for (const reject of [refuse, (): EnrolReply => ({ kind: 'revoked', text: 'gone' })]) {
    answers = [fail, reject];
    const enrolment = await start({ token: 'bad' });
    asked = [];
    // A token that was not answered is asked for again, one that was rejected is not.
    for (let n = 0; n < 3; n += 1) expect(await enrolment.prove('https://one', signal)).toEqual(first);
    expect(asked.map(({ Token }) => Token)).toEqual(['bad', 'bad']);
  }
  expect(readFileSync(file('agent.key'), 'utf8')).toBe(key);
  answers = [grant];
  const other = await start({ token: 'other' });
  const next = await other.prove('https://one', signal);
  expect(next.kind).toBe('certificate');
  asked = [];
  expect(await other.prove('https://one', signal)).toEqual(next);
  expect(readFileSync(file('agent.key'), 'utf8')).not.toBe(key);
  expect(await (await start({ token: 'other' })).prove('https://one', signal)).toEqual(next);
  expect(asked).toEqual([]);
});

test('a certificate of another key counts for nothing: the key renews', async () => {
  answers = [grant];
  await (await start()).prove('https://one', signal);
  writeFileSync(file('agent.crt'), 'damaged');
  answers = [grant];
  expect((await (await start({ token: null })).prove('https://one', signal)).kind).toBe('certificate');
  expect(asked[1]?.Token).toBeUndefined();
  writeFileSync(file('agent.key'), 'damaged');
  expect((await openIdentityFolder(dataDir)).found).toBe(undefined);
});

test('a certificate that the disk refuses is used, and stored later', async () => {
  answers = [grant];
  const enrolment = await start();
  const blocked = file(`agent.crt.${process.pid}.part`);
  mkdirSync(blocked, { recursive: true }); // EISDIR
  const proof = await enrolment.prove('https://one', signal);
  expect(proof.kind).toBe('certificate');
  await enrolment.renewIfDue(signal);
  rmdirSync(blocked);
  await enrolment.renewIfDue(signal);
  expect(await (await start({ token: null })).prove('https://one', signal)).toEqual(proof);
  expect(asked).toHaveLength(1);
});

test('without a disk for its key the agent spends no token', async () => {
  const enrolment = await start();
  writeFileSync(path.join(dataDir, 'identity'), 'no folder');
  expect(await enrolment.prove('https://one', signal)).toMatchObject({
    kind: 'none',
    reason: { kind: 'lost', text: expect.stringContaining('its key cannot be stored') },
  });
  expect(asked).toEqual([]);
});
