// LDAP against slapd of Debian: binds, searches, StartTLS and ldaps, and each fault.

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

const password = 'sentinel-ldap-7';
const user = 'cn=admin,dc=real,dc=test';
const entries = `dn: dc=real,dc=test
objectClass: dcObject
objectClass: organization
dc: real
o: Real

dn: cn=Ann Example,dc=real,dc=test
objectClass: person
cn: Ann Example
sn: Example
description: Größe (1*)
`;

/** slapd without a database on disk (back-ldif), over LDAP and LDAPS. */
async function startSlapd(fixture: ServersFixture): Promise<Server & { readonly tlsPort: number }> {
  const [port, tlsPort] = [await freePort(), await freePort()];
  const folder = path.join(fixture.folder, `slapd-${port}`);
  mkdirSync(path.join(folder, 'data'), { recursive: true });
  const { good, ca } = fixture.certificates;
  const caFile = write(folder, 'ca.pem', ca);
  const conf = write(
    folder,
    'slapd.conf',
    `include /etc/ldap/schema/core.schema
pidfile ${folder}/pid
TLSCACertificateFile ${caFile}
TLSCertificateFile ${good.cert}
TLSCertificateKeyFile ${good.key}
access to attrs=userPassword by anonymous auth by * none
access to * by * read
sizelimit 2
database ldif
directory ${folder}/data
suffix "dc=real,dc=test"
rootdn "${user}"
rootpw ${password}
`,
  );
  execFileSync('/usr/sbin/slapadd', ['-f', conf, '-l', write(folder, 'data.ldif', entries)]);
  const urls = `ldap://127.0.0.1:${port}/ ldaps://127.0.0.1:${tlsPort}/`;
  const server = await serve(port, packages.slapd, ['-d', '0', '-f', conf, '-h', urls]);
  return { ...server, tlsPort };
}

const missing = serversMissing('slapd');

describe('LDAP at slapd', () => {
  beforeEach(({ skip }) => skip(missing !== undefined, missing));
  let fixture: ServersFixture;
  let server: Awaited<ReturnType<typeof startSlapd>>;
  beforeAll(async () => {
    if (missing !== undefined) return;
    fixture = await createServersFixture();
    server = await startSlapd(fixture);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await fixture?.[Symbol.asyncDispose]();
  });
  const look = async (options: object, url = `ldap://127.0.0.1:${server.port}`) => {
    const probe = probeFor('LDAP');
    if (!probe) throw new Error('no probe for LDAP');
    const seen = await runTest(probe, url, options, { timeoutMs: 8_000 });
    expect(JSON.stringify(seen)).not.toContain(password);
    return seen;
  };
  const Base = 'dc=real,dc=test';
  const login = { User: user, Password: password };

  test('binds', async () => {
    expect(await look({})).toMatchObject({ code: 1, text: 'anonymous bind accepted' });
    expect(await look(login)).toMatchObject({ code: 1, text: `bound as "${user}"` });
    const wrong = await look({ ...login, Password: 'not-it' });
    expect(wrong.text).toBe('login refused: "invalidCredentials (49)"');
    expect(wrong.code).toBe(8);
  });

  test.each([
    ['(objectClass=*)', 'Sub', 2],
    ['(objectClass=*)', 'Base', 1],
    ['(objectClass=*)', 'One', 1],
    ['(cn=Ann*)', 'Sub', 1],
    ['(&(sn=Example)(!(cn=Bob)))', 'Sub', 1],
    ['(|(cn=x)(o=Real))', 'Sub', 1],
    [String.raw`(description=Größe \281\2a\29)`, 'Sub', 1],
    ['(cn:caseExactMatch:=Ann Example)', 'Sub', 1],
    ['(cn=nobody)', 'Sub', 0],
  ])('%s at %s finds %i', async (Filter, Scope, count) => {
    const seen = await look({ Base, Filter, Scope, ExpectEntries: 0 });
    expect(seen, seen.text).toMatchObject({
      code: 1,
      values: [{ Label: 'entries', Value: count, Unit: '' }],
    });
    if (count === 0) expect(await look({ Base, Filter, Scope })).toMatchObject({ code: 7 });
  });

  test('attributes, a missing base, and a limit of the server', async () => {
    expect(await look({ Base, ExpectAttribute: 'description=größe (1*)' })).toMatchObject({ code: 1 });
    expect(await look({ Base, ExpectAttribute: 'mail' })).toMatchObject({
      code: 7,
      text: '2 entries found, none with "mail"',
    });
    expect(await look({ Base: 'dc=nowhere' })).toMatchObject({ code: 7 });
    expect(await look({ Base, ExpectEntries: 3 })).toMatchObject({ code: 7 });
  });

  test('StartTLS and ldaps, with the certificate verified', async () => {
    const CA = fixture.certificates.ca;
    const secured = await look({ TLS: { Mode: 'StartTLS', CA }, ...login, Base });
    expect(secured, secured.text).toMatchObject({ code: 1 });
    expect(secured.phases.ssl).toBeGreaterThan(0);
    const implicit = await look({ TLS: { CA }, ...login }, `ldaps://127.0.0.1:${server.tlsPort}`);
    expect(implicit, implicit.text).toMatchObject({ code: 1 });
    expect(await look({ TLS: { Mode: 'StartTLS' } })).toMatchObject({ code: 6 });
  });
});
