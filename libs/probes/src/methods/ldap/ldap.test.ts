import { createSecureContext } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { listen, makeCertificate, probeContract, runTest } from '../../testing/index.ts';
import { serveDirectory, type TestDirectory } from '../../testing/ldap-server.ts';
import { ldap } from './ldap.ts';

const people = [
  { name: 'uid=ann,dc=example', attributes: { mail: ['ann@example.org', 'Ann@Example.net'] } },
  { name: 'uid=bob,dc=example', attributes: { mail: ['bob@example.org'] } },
];

probeContract({
  probe: ldap,
  serverFirst: false,
  url: (port) => `ldap://127.0.0.1:${port}`,
  options: { Base: 'dc=example' },
  withSecret: (port, secret) => ({
    url: `ldap://me:${encodeURIComponent(secret)}@127.0.0.1:${port}`,
    options: { Password: secret, TLS: { ClientKey: secret } },
  }),
  serve: serveDirectory({ entries: people }),
});

async function check(directory: TestDirectory, options: object = {}, login = '') {
  await using server = await listen(serveDirectory(directory));
  return await runTest(ldap, `ldap://${login}${server.target}`, options, { timeoutMs: 20_000 });
}

describe('LDAP', () => {
  test.each([
    [{}, 1, 'anonymous bind accepted'],
    [{ User: 'cn=me', Password: 'sesame' }, 1, 'bound as "cn=me"'],
    [{ User: 'cn=me', Password: 'wrong' }, 8, 'login refused: "invalidCredentials (49): no ***"'],
    [{ User: 'cn=me' }, 8, 'a user name is set but no password'],
    [{ Password: 'sesame' }, 8, 'a password is set but no user name'],
    [{ Base: 'dc=example' }, 1, 'anonymous bind accepted, 2 entries found'],
    [{ Base: 'dc=example', ExpectEntries: 3 }, 7, '2 entries found, at least 3 expected'],
    [{ Base: 'dc=example', ExpectAttribute: 'mail' }, 1, 'anonymous bind accepted, 2 entries found'],
    [
      { Base: 'dc=example', ExpectAttribute: 'MAIL=ann@example.NET' },
      1,
      'anonymous bind accepted, 2 entries found',
    ],
    [{ Base: 'dc=example', ExpectAttribute: 'mail=x@y' }, 7, '2 entries found, none with "mail=x@y"'],
    [{ Base: 'dc=example', ExpectAttribute: 'sn' }, 7, '2 entries found, none with "sn"'],
  ])('%j ends as %i', async (options, code, text) => {
    expect(await check({ entries: people }, options)).toMatchObject({ code, text });
  });

  test.each([
    [{ searchCode: 32 }, 7, 'the base "dc=example" does not exist: "noSuchObject (32)"'],
    [{ searchCode: 50 }, 8, 'the search is refused: "insufficientAccessRights (50)"'],
    [{ searchCode: 51 }, 3, 'the search failed: "busy (51)"'],
    [{ searchCode: 3 }, 2, 'the search took too long: "timeLimitExceeded (3)"'],
    [{ searchCode: 4, entries: people }, 1, 'anonymous bind accepted, at least 2 entries found'],
    [
      { bind: () => 8 },
      8,
      'login refused: "strongerAuthRequired (8): no"; set TLS Mode to StartTLS or Implicit',
    ],
    [{ bind: () => 52 }, 3, 'the bind failed: "unavailable (52): no"'],
    [{ bind: () => 200 }, 3, 'the bind failed: "result 200: no"'],
  ])('a server with %j ends as %i', async (directory, code, text) => {
    const seen = await check(directory, { Base: 'dc=example' });
    expect(seen).toMatchObject({ code, text });
  });

  test('the number of entries is a value where it is known', async () => {
    const seen = await check({ entries: people }, { Base: 'dc=example' });
    expect(seen.values).toEqual([{ Label: 'entries', Value: 2, Unit: '' }]);
    const more = await check({ entries: people, searchCode: 4 }, { Base: 'dc=example' });
    expect(more.values).toBeUndefined();
  });

  test('the login of the URL, and no password in the transcript', async () => {
    const seen = await check({}, {}, 'cn=me:wrong-sentinel@');
    expect(seen.code).toBe(8);
    expect(seen.extended['Transcript']).toContain('> bind as cn=me, password ***');
    expect(JSON.stringify(seen)).not.toContain('wrong-sentinel');
  });

  test('StartTLS, with the certificate verified', async () => {
    const { cert, key } = makeCertificate();
    const secureContext = createSecureContext({ cert, key });
    const options = { TLS: { Mode: 'StartTLS', CA: cert }, Base: 'dc=example' };
    const seen = await check({ secureContext, entries: people }, options);
    expect(seen, seen.text).toMatchObject({ code: 1, text: 'anonymous bind accepted, 2 entries found' });
    expect(seen.phases.ssl).toBeGreaterThan(0);
    expect(await check({ secureContext }, { TLS: { Mode: 'StartTLS' } })).toMatchObject({ code: 6 });
    const refused = await check({}, { TLS: { Mode: 'StartTLS', CA: cert } });
    expect(refused.code).toBe(6);
    expect(refused.text).toMatch(/ refused STARTTLS: "protocolError \(2\): no TLS here"$/);
  });

  test('more entries than were asked for end the check', async () => {
    const entries = Array.from({ length: 101 }, (_, index) => ({ name: `uid=${index}` }));
    const seen = await check({ entries }, { Base: 'dc=example' });
    expect(seen.code).toBe(3);
    expect(seen.text).toContain('more than the 100 entries asked for');
  });

  test('a message of 4 GiB ends the check at once', async () => {
    await using server = await listen(
      (socket) => void socket.once('data', () => socket.write(Buffer.from('3084ffffffff', 'hex'))),
    );
    const seen = await runTest(ldap, server.target);
    expect(seen.code).toBe(3);
    expect(seen.text).toContain('a message of 4294967295 bytes');
  });

  test.each([
    [{ Filter: 'uid=a' }, 'Filter'],
    [{ ExpectAttribute: 'mail' }, 'Base'],
    [{ Base: '', ExpectAttribute: '=x' }, 'ExpectAttribute'],
  ])('%j is refused at %s', (options, place) => {
    expect(ldap.options.safeParse(options).error?.issues.map(({ path }) => path.join('.'))).toEqual([place]);
  });
});
