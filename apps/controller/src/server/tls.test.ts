import { createHash, X509Certificate } from 'node:crypto';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect, createServer } from 'node:tls';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureCertificates, readCertificate } from './tls.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'vantage-tls-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const log = createLog('test', 'silent');
const names = ['localhost', '127.0.0.1', '::1'];
const startUs = Date.now() * 1000;
const fingerprint = (text: string) => createHash('sha256').update(text).digest('hex');

test.each(['the CA', 'two CAs in one file'])(
  'a client that trusts %s gets a verified connection',
  async (what) => {
    const clock = createFakeClock(startUs);
    const own = await ensureCertificates({ dir, names, clock, log });
    const other = await ensureCertificates({ dir: path.join(dir, 'other'), names, clock, log });
    const trusted = what === 'the CA' ? [own] : [other, own];
    const server = createServer({ ...own.server }, (socket) => socket.end('hello'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const said = await new Promise<string>((resolve, reject) => {
      const socket = connect({
        host: '127.0.0.1',
        port,
        ca: trusted.map(({ caFile }) => readFileSync(caFile, 'utf8')).join(''),
        servername: 'localhost',
      });
      socket.on('error', reject);
      socket.on('data', (chunk) => resolve(String(chunk)));
    });
    server.close();
    expect(said).toBe('hello');
    expect(new X509Certificate(own.server.cert).checkIP('::1')).toBe('::1');
    expect(statSync(path.join(dir, 'ca.key')).mode & 0o777).toBe(0o600);
  },
);

test('a second start keeps both; other names or a close end make a new server certificate under the same CA', async () => {
  const clock = createFakeClock(startUs);
  const first = await ensureCertificates({ dir, names, clock, log });
  const ca = readFileSync(first.caFile, 'utf8');
  const again = await ensureCertificates({ dir, names, clock, log });
  expect(fingerprint(again.server.cert)).toBe(fingerprint(first.server.cert));
  const renamed = await ensureCertificates({ dir, names: [...names, 'vantage.example'], clock, log });
  expect(new X509Certificate(renamed.server.cert).checkHost('vantage.example')).toBe('vantage.example');
  clock.stepWall(370 * 86_400_000);
  const renewed = await ensureCertificates({ dir, names, clock, log });
  expect(renewed.notAfterUs).toBeGreaterThan(renamed.notAfterUs);
  expect(readFileSync(first.caFile, 'utf8')).toBe(ca);
});

test('a CA whose key is lost is not replaced silently', async () => {
  const own = await ensureCertificates({ dir, names, clock: createFakeClock(startUs), log });
  writeFileSync(path.join(dir, 'ca.key'), 'gone');
  await expect(ensureCertificates({ dir, names, clock: createFakeClock(startUs), log })).rejects.toThrow(
    /do not belong together/,
  );
  expect(own.caFile).toBe(path.join(dir, 'ca.pem'));
});

test.each(['ca.pem', 'ca.key', 'server.pem', 'server.key'])(
  'a %s that cannot be read stops the start and replaces nothing',
  async (name) => {
    const clock = createFakeClock(startUs);
    await ensureCertificates({ dir, names, clock, log });
    const before = readdirSync(dir)
      .filter((one) => one !== name)
      .map((one) => [one, readFileSync(path.join(dir, one), 'utf8')]);
    rmSync(path.join(dir, name));
    symlinkSync(name, path.join(dir, name)); // a circle: ELOOP
    await expect(ensureCertificates({ dir, names, clock, log })).rejects.toThrow(`${name} cannot be read`);
    const after = readdirSync(dir)
      .filter((one) => one !== name)
      .map((one) => [one, readFileSync(path.join(dir, one), 'utf8')]);
    expect(after).toEqual(before);
  },
);

test('a CA is made at the first start only, also one that was cut short; a lost one is asked for', async () => {
  const clock = createFakeClock(startUs);
  writeFileSync(path.join(dir, 'ca.key'), 'of a start that was cut short');
  await ensureCertificates({ dir, names, clock, log });
  expect(readFileSync(path.join(dir, 'ca.key.old'), 'utf8')).toBe('of a start that was cut short');
  const key = readFileSync(path.join(dir, 'ca.key'), 'utf8');
  rmSync(path.join(dir, 'ca.pem'));
  await expect(ensureCertificates({ dir, names, clock, log })).rejects.toThrow(/ca\.pem is missing: put it/);
  expect(readFileSync(path.join(dir, 'ca.key'), 'utf8')).toBe(key);
});

test('a clock of another decade replaces no CA', async () => {
  const clock = createFakeClock(startUs);
  const own = await ensureCertificates({ dir, names, clock, log });
  const ca = readFileSync(own.caFile, 'utf8');
  clock.stepWall(3_655 * 86_400_000);
  await expect(ensureCertificates({ dir, names, clock, log })).rejects.toThrow(/set this machine's clock/);
  expect(readFileSync(own.caFile, 'utf8')).toBe(ca);
});

test("the operator's certificate is refused when the key is another one's", async () => {
  await ensureCertificates({ dir, names, clock: createFakeClock(startUs), log });
  const [certFile, keyFile] = [path.join(dir, 'server.pem'), path.join(dir, 'ca.key')];
  await expect(readCertificate({ certFile, keyFile })).rejects.toThrow(/not the one of the certificate/);
  expect((await readCertificate({ certFile, keyFile: path.join(dir, 'server.key') })).key).toContain(
    'PRIVATE KEY',
  );
});
