import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

test("the operator's certificate is refused when the key is another one's", async () => {
  await ensureCertificates({ dir, names, clock: createFakeClock(startUs), log });
  const [certFile, keyFile] = [path.join(dir, 'server.pem'), path.join(dir, 'ca.key')];
  await expect(readCertificate({ certFile, keyFile })).rejects.toThrow(/not the one of the certificate/);
  expect((await readCertificate({ certFile, keyFile: path.join(dir, 'server.key') })).key).toContain(
    'PRIVATE KEY',
  );
});
