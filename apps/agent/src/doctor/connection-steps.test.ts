import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { closedPort } from '@vantage/probes/testing';
import { type CertificateFiles, type Certificates, makeCertificates } from '@vantage/testing/certificates';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkConnection } from './connection-steps.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'vantage-doctor-'));
let certificates: Certificates;

beforeAll(async () => {
  certificates = await makeCertificates(folder);
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs `use` with the port of the listening server, and closes it with its connections. */
async function withServer<T>(server: Server, use: (port: number) => Promise<T>): Promise<T> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  try {
    return await use(typeof address === 'object' && address !== null ? address.port : 0);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

const https = (files: CertificateFiles, date = new Date()) =>
  createServer({ cert: readFileSync(files.cert), key: readFileSync(files.key) }, (_, response) => {
    response.setHeader('Date', date.toUTCString());
    response.writeHead(404).end();
  });

function examine(port: number, host = '127.0.0.1', ca = certificates.ca) {
  return checkConnection({ host, port, ca, proxy: undefined }, Date.now);
}

const levels = async (findings: ReturnType<typeof examine>) =>
  (await findings).map(({ step, level }) => `${step} ${level}`);

test('a good way to the controller is well at each step', async () => {
  expect(await withServer(https(certificates.good), (port) => levels(examine(port)))).toEqual([
    'name ok',
    'TCP ok',
    'TLS ok',
    'certificate ok',
    'clock ok',
  ]);
});

test('a name without an address is the last step', async () => {
  const findings = await examine(1, 'no-such-host.invalid');
  expect(findings).toMatchObject([{ step: 'name', level: 'fault' }]);
  expect(findings[0]?.text).toContain('no-such-host.invalid has no address');
});

test('a port that refuses is the last step and names the firewall', async () => {
  const findings = await examine(closedPort);
  expect(findings.at(-1)).toMatchObject({ step: 'TCP', level: 'fault' });
  expect(JSON.stringify(findings.at(-1))).toContain('firewall');
});

test('a port without TLS is the last step', async () => {
  const plain = createTcpServer((socket) => socket.resume().end('SSH-2.0-OpenSSH\r\n'));
  const findings = await withServer(plain, (port) => levels(examine(port)));
  expect(findings.at(-1)).toBe('TLS fault');
});

test.each([
  ['of a wrong name', 'wrongName', 'VANTAGE_TLS_NAMES=127.0.0.1'],
  ['that has expired', 'expired', 'NTP'],
] as const)('a certificate %s is a fault with its remedy', async (_, which, remedy) => {
  const findings = await withServer(https(certificates[which]), (port) => examine(port));
  const found = findings.find(({ step }) => step === 'certificate');
  expect(found).toMatchObject({ level: 'fault', remedy: expect.stringContaining(remedy) });
});

test('a certificate of another CA is a fault', async () => {
  const other = await makeCertificates(path.join(folder, 'other'));
  const findings = await withServer(https(certificates.good), (port) => examine(port, '127.0.0.1', other.ca));
  expect(findings.find(({ step }) => step === 'certificate')).toMatchObject({
    level: 'fault',
    text: expect.stringContaining('not issued by the CA'),
  });
});

test('a clock that is an hour off is a warning', async () => {
  const late = new Date(Date.now() + 3_630_000);
  const findings = await withServer(https(certificates.good, late), (port) => examine(port));
  expect(findings.at(-1)).toMatchObject({ level: 'warning', text: expect.stringContaining('60 min behind') });
});
