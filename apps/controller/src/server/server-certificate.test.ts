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
import { pinOf } from './public-key-pin.ts';
import { type Authorities, ensureCertificates, readCertificate } from './server-certificate.ts';
import { testAuthorities } from './testing/test-authorities.ts';

let dir: string;
let authorities: Authorities;
beforeEach(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'vantage-tls-'));
  authorities = await testAuthorities();
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
    const own = await ensureCertificates({ dir, names, authorities, clock, log });
    const foreign = await testAuthorities();
    const trusted = what === 'the CA' ? [authorities] : [foreign, authorities];
    const server = createServer({ ...own.server }, (socket) => socket.end('hello'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const said = await new Promise<string>((resolve, reject) => {
      const socket = connect({
        host: '127.0.0.1',
        port,
        ca: trusted.flatMap((one) => one.trusted).join(''),
        servername: 'localhost',
      });
      socket.on('error', reject);
      socket.on('data', (chunk) => resolve(String(chunk)));
    });
    server.close();
    expect(said).toBe('hello');
    expect(new X509Certificate(own.server.cert).checkIP('::1')).toBe('::1');
    expect(statSync(path.join(dir, 'server.key')).mode & 0o777).toBe(0o600);
    expect(readFileSync(own.caFile, 'utf8')).toBe(authorities.trusted.join(''));
  },
);

test('a second start keeps the certificate; other names, a close end or another authority make a new one', async () => {
  const clock = createFakeClock(startUs);
  const first = await ensureCertificates({ dir, names, authorities, clock, log });
  const again = await ensureCertificates({ dir, names, authorities, clock, log });
  expect(fingerprint(again.server.cert)).toBe(fingerprint(first.server.cert));
  const renamed = await ensureCertificates({
    dir,
    authorities,
    clock,
    log,
    names: [...names, 'vantage.example'],
  });
  expect(new X509Certificate(renamed.server.cert).checkHost('vantage.example')).toBe('vantage.example');
  clock.stepWall(370 * 86_400_000);
  const renewed = await ensureCertificates({ dir, names, authorities, clock, log });
  expect(renewed.notAfterUs).toBeGreaterThan(renamed.notAfterUs);
  const next = await testAuthorities();
  const trusted = [...next.trusted, ...authorities.trusted];
  const moved = await ensureCertificates({
    dir,
    names,
    clock,
    log,
    authorities: { ...next, trusted },
  });
  expect(
    new X509Certificate(moved.server.cert).verify(new X509Certificate(next.signing.cert).publicKey),
  ).toBe(true);
  expect(readFileSync(moved.caFile, 'utf8')).toBe(trusted.join(''));
});

test('the controllers of one database have one key, so that one pin holds for all of them', async () => {
  const clock = createFakeClock(startUs);
  const one = await ensureCertificates({ dir, names, authorities, clock, log });
  const other = await ensureCertificates({
    authorities,
    clock,
    log,
    dir: path.join(dir, 'other'),
    names: ['other.example'],
  });
  expect(pinOf(one.server.cert)).toBe(pinOf(other.server.cert));
  expect(pinOf(one.server.cert)).toBe(pinOf(authorities.signing.serverKey));
});

test.each(['ca.pem', 'server.pem', 'server.key'])(
  'a %s that cannot be read stops the start and replaces nothing',
  async (name) => {
    const clock = createFakeClock(startUs);
    await ensureCertificates({ dir, names, authorities, clock, log });
    const before = readdirSync(dir)
      .filter((one) => one !== name)
      .map((one) => [one, readFileSync(path.join(dir, one), 'utf8')]);
    rmSync(path.join(dir, name));
    symlinkSync(name, path.join(dir, name)); // a circle: ELOOP
    await expect(ensureCertificates({ dir, names, authorities, clock, log })).rejects.toThrow(
      `${name} cannot be read`,
    );
    const after = readdirSync(dir)
      .filter((one) => one !== name)
      .map((one) => [one, readFileSync(path.join(dir, one), 'utf8')]);
    expect(after).toEqual(before);
  },
);

test("the operator's certificate is refused when the key is another one's", async () => {
  await ensureCertificates({ dir, names, authorities, clock: createFakeClock(startUs), log });
  const [certFile, keyFile] = [path.join(dir, 'server.pem'), path.join(dir, 'ca.key')];
  writeFileSync(keyFile, authorities.signing.key);
  await expect(readCertificate({ certFile, keyFile })).rejects.toThrow(/does not belong to the certificate/);
  expect((await readCertificate({ certFile, keyFile: path.join(dir, 'server.key') })).key).toContain(
    'PRIVATE KEY',
  );
});
