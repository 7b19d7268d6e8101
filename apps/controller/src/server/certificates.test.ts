import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dayMs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { createFakeClock, type FakeClock } from '@vantage/kernel/testing';
import { makeCertificate } from '@vantage/probes/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openCertificates, type PortCertificates } from './certificates.ts';
import { testAuthorities } from './testing/test-authorities.ts';

let dir: string;
let clock: FakeClock;
let lines: { readonly level: number; readonly msg: string }[];
let ending: AbortController;
let keeping: Promise<void> | undefined;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'vantage-certificates-'));
  clock = createFakeClock(Date.now() * 1000);
  lines = [];
  ending = new AbortController();
});
afterEach(async () => {
  ending.abort();
  await keeping;
  keeping = undefined;
  rmSync(dir, { recursive: true });
});

const [cert, key] = ['cert.pem', 'key.pem'];
const file = (name: string) => path.join(dir, name);
const put = (made: { readonly cert: string; readonly key: string }) => {
  writeFileSync(file(cert), made.cert);
  writeFileSync(file(key), made.key);
};
const messages = (least = 40) => lines.filter(({ level }) => level >= least).map(({ msg }) => msg);

/** The certificates of a controller with files of its operator; `renewals` are those that came into use. */
async function open() {
  const authorities = await testAuthorities();
  const log = createLog('test', 'info', { write: (line) => void lines.push(JSON.parse(line)) });
  const tls = { certFile: file(cert), keyFile: file(key) };
  const config = { dataDir: dir, tls, tlsNames: [], listen: undefined };
  const certificates = await openCertificates({
    config,
    clock,
    log,
    readAuthorities: async () => authorities,
  });
  const renewals: PortCertificates[] = [];
  keeping = certificates.keep((next) => renewals.push(next), ending.signal);
  return { certificates, renewals };
}
const soon = { timeout: 60_000, interval: 20 };

test('new files of the operator are in use within a minute, also when they were half written for a while', async () => {
  put(makeCertificate({ names: ['one.example'] }));
  const { certificates, renewals } = await open();
  const next = makeCertificate({ names: ['two.example'] });
  writeFileSync(file(cert), next.cert); // its key is not there yet
  await vi.waitFor(async () => {
    await clock.advance(30_000);
    expect(messages()).toEqual(['the certificates cannot be renewed; the present ones stay in use']);
  }, soon);
  expect(certificates.current.apiHost).toBe('one.example');
  const refusedSinceUs = certificates.refusedSinceUs;
  expect(refusedSinceUs).toBeGreaterThan(0);
  certificates.again();
  await clock.advance(30_000);
  expect(certificates.refusedSinceUs).toBe(refusedSinceUs);
  writeFileSync(file(key), next.key);
  await vi.waitFor(async () => {
    await clock.advance(30_000);
    expect(renewals.map(({ apiHost }) => apiHost)).toEqual(['two.example']);
  }, soon);
  expect(certificates.current.api.key).toBe(next.key);
  expect(certificates.refusedSinceUs).toBeUndefined();
  expect(readFileSync(certificates.current.apiTrustFile, 'utf8')).toContain(next.cert.trim());
  expect(certificates.apiEndUs).toBe(Date.parse(new X509Certificate(next.cert).validTo) * 1000);
});

test('a signal reads the files at once', async () => {
  put(makeCertificate({ names: ['one.example'] }));
  const { certificates, renewals } = await open();
  await vi.waitFor(() => expect(clock.pending).toBeGreaterThan(0), soon);
  put(makeCertificate({ names: ['two.example'] }));
  certificates.again();
  await vi.waitFor(() => expect(renewals.map(({ apiHost }) => apiHost)).toEqual(['two.example']), soon);
});

test('a certificate near its end is a line a day and a problem, until there is a better one', async () => {
  put(makeCertificate({ names: ['one.example'], toDays: 4 }));
  clock.stepWall(3.5 * dayMs);
  const { certificates } = await open();
  const near = 'the certificate of the REST port ends soon';
  const ended = 'the certificate of the REST port has ended: clients refuse it';
  await vi.waitFor(() => expect(messages()).toEqual([near]), soon);
  expect(certificates.problem).toMatch(/^the certificate of the REST port ends on /);
  for (let hour = 0; hour < 70; hour += 1) {
    await clock.advance(dayMs / 24);
    await vi.waitFor(() => expect(clock.pending).toBeGreaterThan(0), soon); // it has looked at the files
  }
  expect(messages()).toEqual([near, ended, ended, ended]);
  put(makeCertificate({ names: ['one.example'], toDays: 400 }));
  await vi.waitFor(async () => {
    await clock.advance(30_000);
    expect(certificates.problem).toBeUndefined();
  }, soon);
});

test('a disk that refuses the files stops nothing; they are written when it takes them', async () => {
  put(makeCertificate({ names: ['one.example'] }));
  const blocked = file(`tls/api-trust.pem.${process.pid}.part`);
  mkdirSync(blocked, { recursive: true }); // EISDIR
  const { certificates } = await open();
  expect(messages()).toEqual([expect.stringMatching(/api-trust.pem cannot be written \(EISDIR.*make room/)]);
  rmdirSync(blocked);
  await expect.poll(() => messages()[1], soon).toBe(`${certificates.current.apiTrustFile} is written again`);
});
