// SNMP against snmpd of Debian: each version and protocol, interfaces and values of this machine, and each fault.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { probeFor } from '@vantage/probes';
import { runTest } from '@vantage/probes/testing';
import { freePort } from '@vantage/testing/free-port';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createServersFixture,
  packages,
  type Server,
  type ServersFixture,
  serve,
  serversMissing,
  write,
} from './servers-fixture.ts';

const authKey = 'sentinel-auth-7';
const privKey = 'sentinel-priv-7';
const community = 'sentinel-community';

/** Users of snmpd by their protocols. `AES256` needs a build of Net-SNMP with it, which not every Debian has. */
const users = [
  { user: 'md5des', auth: 'MD5', priv: 'DES', ofServer: 'MD5 %a DES %p' },
  { user: 'shades', auth: 'SHA', priv: 'DES', ofServer: 'SHA %a DES %p' },
  { user: 'shaaes', auth: 'SHA', priv: 'AES', ofServer: 'SHA %a AES %p' },
  { user: 'sha224', auth: 'SHA224', priv: 'AES', ofServer: 'SHA-224 %a AES %p' },
  { user: 'sha256', auth: 'SHA256', priv: 'AES', ofServer: 'SHA-256 %a AES %p' },
  { user: 'sha384', auth: 'SHA384', priv: 'AES', ofServer: 'SHA-384 %a AES %p' },
  { user: 'sha512', auth: 'SHA512', priv: 'AES', ofServer: 'SHA-512 %a AES %p' },
  { user: 'aes256', auth: 'SHA256', priv: 'AES256', ofServer: 'SHA-256 %a AES-256 %p' },
  { user: 'aes256c', auth: 'SHA', priv: 'AES256C', ofServer: 'SHA %a AES-256-C %p' },
] as const;

/** snmpd on a free port, over UDP, and over TCP too, so that its start can be seen. */
async function startSnmpd(fixture: ServersFixture): Promise<Server> {
  const port = await freePort();
  const folder = path.join(fixture.folder, `snmpd-${port}`);
  mkdirSync(folder);
  const lines = [
    `agentaddress udp:127.0.0.1:${port},tcp:127.0.0.1:${port}`,
    `[snmp] persistentDir ${folder}`,
    'sysName real-1',
    'sysDescr a real agent',
    `rocommunity ${community}`,
    ...users.map(({ user, ofServer }) => {
      const keys = ofServer.replace('%a', `"${authKey}"`).replace('%p', `"${privKey}"`);
      return `createUser ${user} ${keys}`;
    }),
    ...users.map(({ user }) => `rouser ${user} auth`),
    'createUser plain',
    'rouser plain noauth',
  ];
  const conf = write(folder, 'snmpd.conf', `${lines.join('\n')}\n`);
  return serve(port, packages.snmpd, ['-f', '-Lo', '-C', '-c', conf, '-p', path.join(folder, 'pid')]);
}

const missing = serversMissing('snmpd');
const printed: string[] = [];
afterAll(() => void process.stdout.write(`\n${printed.join('\n')}\n`));

describe('SNMP at snmpd', () => {
  beforeEach(({ skip }) => skip(missing !== undefined, missing));
  let fixture: ServersFixture;
  let server: Server;
  beforeAll(async () => {
    if (missing !== undefined) return;
    fixture = await createServersFixture();
    server = await startSnmpd(fixture);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await fixture?.[Symbol.asyncDispose]();
  });

  const look = async (name: string, options: object, more: { port?: number; timeoutMs?: number } = {}) => {
    const probe = probeFor('SNMP');
    if (!probe) throw new Error('no probe for SNMP');
    const { port = server.port, timeoutMs = 8_000 } = more;
    const seen = await runTest(probe, `snmp://127.0.0.1:${port}`, options, { timeoutMs });
    printed.push(`${name.padEnd(26)} ${String(seen.code).padStart(2)}  ${seen.text}`);
    for (const secret of [authKey, privKey, community]) expect(JSON.stringify(seen)).not.toContain(secret);
    return seen;
  };
  const login = ({ user, auth, priv }: (typeof users)[number]) => ({
    Version: 'v3',
    User: user,
    AuthProtocol: auth,
    AuthKey: authKey,
    PrivProtocol: priv,
    PrivKey: privKey,
  });

  test.each(['v1', 'v2c'])('%s reads the loopback interface and values', async (Version) => {
    const seen = await look(Version, {
      Version,
      Community: community,
      Interfaces: [{ Name: 'lo', DeviceDown: true }],
      Values: [
        { Name: 'sysUpTime', Min: 0 },
        { Name: 'hrSystemProcesses', Min: 1 },
      ],
    });
    expect(seen).toMatchObject({
      code: 1,
      text: 'real-1 answers, interfaces up: 1 of 1',
      phases: { connect: 0 },
      extended: {
        System: { Name: 'real-1', Description: 'a real agent' },
        Interfaces: [{ Name: 'lo', Index: 1, Status: 'Up' }],
      },
    });
  });

  test.each(users)('v3 $auth $priv', async (row) => {
    const noSupport = serverLacks(row.ofServer);
    const seen = await look(`v3 ${row.auth} ${row.priv}`, login(row));
    if (noSupport) expect(seen.code).not.toBe(1);
    else expect(seen).toMatchObject({ code: 1, text: 'real-1 answers' });
    if (noSupport) return;
    const wrongAuth = await look('wrong AuthKey', { ...login(row), AuthKey: 'not-it-at-all' });
    expect(wrongAuth).toMatchObject({
      code: 8,
      text: expect.stringContaining('AuthKey or AuthProtocol is wrong'),
    });
    const wrongPriv = await look(
      'wrong PrivKey',
      { ...login(row), PrivKey: 'not-it-at-all' },
      { timeoutMs: 2_000 },
    );
    // Net-SNMP drops what it cannot decrypt to a message, and reports what it can.
    expect([2, 8]).toContain(wrongPriv.code);
    expect(wrongPriv.text).toContain('PrivKey or PrivProtocol');
  });

  test('v3 without protection, with authentication alone, and an unknown user', async () => {
    expect(await look('v3 plain', { Version: 'v3', User: 'plain' })).toMatchObject({ code: 1 });
    const { PrivKey: _priv, ...auth } = login(users[4]);
    expect(await look('v3 auth', auth)).toMatchObject({ code: 1 });
    expect(await look('unknown user', { ...auth, User: 'nobody' })).toMatchObject({
      code: 8,
      text: expect.stringMatching(/ refuses the login: it does not know the User$/),
    });
    const refused = await look('too little protection', { Version: 'v3', User: 'sha256' });
    expect(refused, refused.text).toMatchObject({ code: 8 });
  });

  test('the faults', async () => {
    const options = { Community: community };
    const silent = await look('wrong community', { Community: 'not-it' }, { timeoutMs: 1_500 });
    expect(silent).toMatchObject({ code: 2, text: `no answer from 127.0.0.1:${server.port} within 1.5 s` });
    expect(silent.extended['Note']).toContain('does not answer a community');
    const port = await freePort();
    expect(await look('refused', options, { port })).toMatchObject({
      code: 3,
      text: `connection refused by 127.0.0.1:${port}`,
    });
    expect(
      await look('wrong expectation', { ...options, Values: [{ Name: 'hrSystemProcesses', Max: 0 }] }),
    ).toMatchObject({ code: 7 });
  });
});

/** Whether this build of Net-SNMP has no such protocol: it then does not make the user. */
function serverLacks(ofServer: string): boolean {
  if (!ofServer.includes('AES-256')) return false;
  const help = execFileSync('sh', ['-c', 'snmpd -H 2>&1 || true'], { encoding: 'utf8' });
  return !help.includes('AES-256');
}
