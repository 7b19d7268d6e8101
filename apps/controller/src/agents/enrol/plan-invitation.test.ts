import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer, type TlsOptions } from 'node:tls';
import { systemClock as clock } from '@vantage/kernel';
import { closedPort } from '@vantage/probes/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signServer } from '../../server/authority.ts';
import { pinOf } from '../../server/public-key-pin.ts';
import type { Authorities } from '../../server/server-certificate.ts';
import { testAuthorities } from '../../server/testing/test-authorities.ts';
import { checkAddress, planInvitation } from './plan-invitation.ts';

const parcels = mkdtempSync(path.join(tmpdir(), 'vantage-plan-'));
let authorities: Authorities;
beforeAll(async () => {
  authorities = await testAuthorities();
});
afterAll(() => rmSync(parcels, { recursive: true }));

/** A port with a certificate of the authority for these names. */
async function openPort(names: readonly string[], { signing }: Authorities = authorities) {
  const cert = await signServer(signing, { names, nowMs: Date.now() });
  const servernames: string[] = [];
  const options: TlsOptions = {
    cert,
    key: signing.serverKey,
    SNICallback(name, done) {
      servernames.push(name);
      done(null);
    },
  };
  const server = createServer(options, (socket) => socket.on('error', () => {}));
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}`,
    servernames,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
const plan = (url: string, tlsNames: readonly string[] = [], releaseKey?: string) =>
  planInvitation({
    urls: url.split(','),
    tlsNames,
    parcels,
    releaseKey,
    clock,
    trusted: authorities.trusted,
    pin: pinOf(authorities.signing.serverKey),
  });

test('the lines have the pin of the port, the token and the hashes of the parcels', async () => {
  await using port = await openPort(['localhost']);
  const sha256 = 'ab'.repeat(32);
  writeFileSync(path.join(parcels, 'vantage-agent-linux-amd64.tar.gz.sha256'), `${sha256}  x.tar.gz\n`);
  const found = await plan(port.url);
  const pin = pinOf(authorities.signing.serverKey);
  const args = `install --token T --endpoint ${port.url} --sha256 amd64=${sha256}`;
  expect(found.kind === 'ready' && found.warnings).toEqual([]);
  const lines = found.kind === 'ready' ? found.linesFor('T') : undefined;
  for (const line of [lines?.command, lines?.commandWget]) {
    expect(line).toMatch(/^sh -c '[^']*'/);
    expect(line).toContain(`--pinnedpubkey "sha256//${pin}"`);
    expect(line).toContain(`"Authorization: Bearer T"`);
    expect(line?.endsWith(args)).toBe(true);
  }
  const pinned = await plan(port.url, [], 'MCo+/=');
  expect(pinned.kind === 'ready' && pinned.linesFor('T').command).toContain(`${args} --release-key MCo+/=`);
  rmSync(path.join(parcels, 'vantage-agent-linux-amd64.tar.gz.sha256'));
});

test('of several ports the first one serves the script, and all are checked and given to the agent', async () => {
  await using one = await openPort(['localhost']);
  await using other = await openPort(['localhost']);
  await using foreign = await openPort(['localhost'], await testAuthorities());
  const away = `https://localhost:${closedPort}`;
  const found = await plan([one.url, other.url, away].join(','));
  expect(found.kind === 'ready' && found.warnings[0]).toContain(`cannot reach ${away} itself`);
  const line = found.kind === 'ready' ? found.linesFor('T').command : '';
  expect(line).toContain(`${one.url}/install.sh`);
  expect(line).toContain(` --endpoint ${one.url},${other.url},${away}`);
  expect(await plan([one.url, foreign.url].join(','))).toMatchObject({ kind: 'conflict' });
});

test('a name that the certificate lacks is refused with the setting that adds it', async () => {
  await using port = await openPort(['other.example']);
  expect(await plan(port.url, ['vantage.example'])).toEqual({
    kind: 'conflict',
    message: expect.stringContaining('VANTAGE_TLS_NAMES=vantage.example,localhost and invite again'),
  });
});

test('without a look at the address there is a line for every address, but only with a known pin', async () => {
  await using port = await openPort(['other.example'], await testAuthorities());
  const unchecked = (pin: string | undefined) =>
    planInvitation({
      urls: [port.url],
      tlsNames: [],
      parcels,
      releaseKey: undefined,
      clock,
      trusted: authorities.trusted,
      pin,
      isChecked: false,
    });
  const found = await unchecked('PIN');
  expect(found.kind === 'ready' && found.linesFor('T').command).toContain('sha256//PIN');
  expect(found.kind === 'ready' && found.warnings).toEqual([expect.stringContaining('has no parcel')]);
  expect(await unchecked(undefined)).toMatchObject({
    kind: 'conflict',
    isUnreachable: true,
    message: expect.stringContaining('certificate is not known here'),
  });
});

test('a port of another authority is refused', async () => {
  await using port = await openPort(['localhost'], await testAuthorities());
  expect(await plan(port.url)).toMatchObject({
    kind: 'conflict',
    message: expect.stringContaining('VANTAGE_AGENT_URL'),
  });
});

test('an address that the controller itself cannot reach gives a warning, and so does a folder without parcels', async () => {
  const found = await plan(`https://localhost:${closedPort}`);
  expect(found.kind === 'ready' && found.warnings).toEqual([
    expect.stringContaining('cannot reach'),
    expect.stringContaining('npm run parcel'),
  ]);
});

test('why the controller has no parcel of the agent is said to the inviter', async () => {
  await using port = await openPort(['localhost']);
  const found = await planInvitation({
    urls: [port.url],
    tlsNames: [],
    parcels,
    releaseKey: undefined,
    clock,
    trusted: authorities.trusted,
    pin: undefined,
    noParcel: 'there is no room',
  });
  expect(found.kind === 'ready' && found.warnings).toEqual([
    'The controller has no parcel of the agent: there is no room.',
  ]);
});

test.each([
  ['localhost', ['localhost']],
  ['127.0.0.1', []],
])('the name %s is sent as a name of TLS, an address is not (RFC 6066)', async (host, servernames) => {
  await using port = await openPort(['localhost', '127.0.0.1']);
  const url = port.url.replace('localhost', host);
  expect(await checkAddress(url, { trusted: authorities.trusted, clock })).toEqual({
    kind: 'reached',
    pin: pinOf(authorities.signing.serverKey),
  });
  expect(port.servernames).toEqual(servernames);
});

test('an address of the inviter is compared with the names of the certificate, without a connection', async () => {
  const certificate = await signServer(authorities.signing, {
    names: ['vantage.example', '2001:db8::1'],
    nowMs: Date.now(),
  });
  await using foreign = await openPort(['localhost'], await testAuthorities());
  const chosen = (urls: readonly string[]) =>
    planInvitation({
      urls,
      tlsNames: ['vantage.example'],
      parcels,
      releaseKey: undefined,
      clock,
      trusted: authorities.trusted,
      pin: 'PIN',
      isChecked: false,
      certificate,
    });
  expect(await chosen(['https://vantage.example:8444', 'https://[2001:db8::1]:8444'])).toMatchObject({
    kind: 'ready',
  });
  expect(await chosen(['https://vantage.example:8444', foreign.url])).toEqual({
    kind: 'conflict',
    message: expect.stringContaining('VANTAGE_TLS_NAMES=vantage.example,localhost and invite again'),
  });
  expect(foreign.servernames).toEqual([]);
});
