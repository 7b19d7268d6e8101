import { createFakeClock } from '@vantage/kernel/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { httpAnswer, type RegisteredDomain, rdapBody, serveTexts } from '../../testing/domain-registry.ts';
import { closedPort, probeContract, runTest } from '../../testing/index.ts';
import { createDomain } from './domain.ts';

/** A probe that knows no registry by itself. */
const newDomain = (part: object = {}) =>
  createDomain({
    bootstrapUrl: `http://127.0.0.1:${closedPort}/`,
    whoisRoot: { host: '127.0.0.1', port: closedPort },
    whoisPort: closedPort,
    spacingMs: 0,
    ...part,
  });

const good = rdapBody({ expires: '2099-01-01T00:00:00Z' });
let domain: ReturnType<typeof newDomain>;
beforeAll(() => {
  domain = newDomain();
});

// Each port has a name of its own, because answers are kept.
probeContract({
  probe: newDomain(),
  serverFirst: false,
  url: (port) => `domain:p${port}.example`,
  optionsFor: (port) => ({ RDAPServer: `http://127.0.0.1:${port}/` }),
  serve: (socket) => void socket.once('data', () => socket.end(httpAnswer('200 OK', good))),
});

const inDays = (days: number) => new Date(Date.now() + (days + 0.5) * 86_400_000).toISOString();

/** A check of a domain at an RDAP server of this state. */
async function check(state: RegisteredDomain | string, options: object = {}, name = 'example.org') {
  const body = typeof state === 'string' ? state : rdapBody(state);
  await using rdap = await serveTexts(() => httpAnswer('200 OK', body));
  return await runTest(newDomain(), name, { RDAPServer: `http://${rdap.target}`, ...options });
}

describe('Domain', () => {
  test('days left, registrar, name servers and status are facts, and the days a value', async () => {
    const expires = inDays(90);
    const nameServers = ['ns2.example.org', 'NS1.example.org'];
    const seen = await check({ expires, nameServers, registrar: 'Example Registrar' });
    expect(seen, seen.text).toMatchObject({
      code: 1,
      text: `example.org is registered until ${expires.slice(0, 10)} (90 days) with "Example Registrar"`,
      values: [{ Label: 'days left', Value: 90, Unit: 'd' }],
      extended: {
        Domain: {
          Name: 'example.org',
          IsRegistered: true,
          Expires: expires,
          Registrar: 'Example Registrar',
          NameServers: ['ns1.example.org', 'ns2.example.org'],
          Status: ['active'],
          Source: 'RDAP',
        },
      },
    });
    expect(seen.phases.ttfb).toBeGreaterThan(0);
  });

  test.each([
    [
      { expires: inDays(10) },
      { MinDaysLeft: 14 },
      'the registration ends in 10 days, at least 14 days are expected',
    ],
    [{ expires: inDays(-5) }, {}, 'the registration ended 4 days ago'],
    [{ statuses: ['pending delete'] }, {}, 'its status is "pending delete"'],
    [{ registrar: 'A' }, { ExpectRegistrar: 'b' }, 'its registrar is "A", expected "b"'],
    [
      { nameServers: ['a.b'], statuses: [] },
      { ExpectNameServers: ['c.d'], ExpectStatus: ['active'] },
      'its status is not "active"; its name servers are "a.b", expected "c.d"',
    ],
  ])('%j with %j is 7', async (state, options, text) => {
    expect(await check(state, options)).toMatchObject({ code: 7, text: `example.org: ${text}` });
  });

  test.each([
    ['404 Not Found', '', 7, 'example.org is not registered'],
    ['429 Too Many Requests', '', 3, 'SERVER answers 429 Too Many Requests: it wants fewer requests'],
    ['500 Broken', '', 3, 'SERVER answers 500 Broken'],
    ['200 OK', '<html>', 3, 'SERVER sent no JSON: "<html>"'],
    ['200 OK', '{"objectClassName":"x"}', 3, 'SERVER sent no domain of RDAP: "{"objectClassName":"x"}"'],
  ])('a registry that answers %s %s', async (status, body, code, text) => {
    await using rdap = await serveTexts(() => httpAnswer(status, body));
    const seen = await runTest(newDomain(), 'example.org', { RDAPServer: `http://${rdap.target}/v1` });
    expect(seen.text.replace(rdap.target, 'SERVER')).toBe(text);
    expect(seen.code).toBe(code);
    expect(rdap.asked).toEqual(['GET /v1/domain/example.org HTTP/1.1']);
  });

  test('a name below the registered one gets a hint', async () => {
    await using rdap = await serveTexts(() => httpAnswer('404 Not Found', ''));
    const seen = await runTest(newDomain(), 'www.example.org', { RDAPServer: `http://${rdap.target}` });
    expect(seen.text).toBe(
      'www.example.org is not registered; name the registered domain, such as example.org',
    );
  });

  test("IANA's list names the registry; list and answer are asked for once among all devices", async () => {
    await using rdap = await serveTexts(() => httpAnswer('200 OK', good));
    const list = JSON.stringify({ services: [[['org'], [`http://${rdap.target}/rdap/`]]] });
    await using iana = await serveTexts(() => httpAnswer('200 OK', list));
    const probe = newDomain({ bootstrapUrl: `http://${iana.target}/rdap/dns.json` });
    for (const url of ['example.org', 'domain:EXAMPLE.org.', 'domain://example.org', 'example.net.org'])
      expect(await runTest(probe, url)).toMatchObject({
        code: 1,
        extended: { Domain: { Server: rdap.target } },
      });
    expect(iana.asked).toEqual(['GET /rdap/dns.json HTTP/1.1']);
    expect(rdap.asked).toEqual([
      'GET /rdap/domain/example.org HTTP/1.1',
      'GET /rdap/domain/example.net.org HTTP/1.1',
    ]);
  });

  test('where a registry has no RDAP, its WHOIS server is asked, which IANA names', async () => {
    await using iana = await serveTexts(() => httpAnswer('200 OK', '{"services": []}'));
    await using root = await serveTexts(() => 'domain: DE\nwhois: 127.0.0.1\n');
    await using whois = await serveTexts((name) =>
      name === 'free.de'
        ? 'Domain: free.de\nStatus: free\n'
        : 'Domain: x\nExpires: 2099-01-01\nNserver: a.b\n',
    );
    const probe = newDomain({
      bootstrapUrl: `http://${iana.target}/`,
      whoisRoot: { host: '127.0.0.1', port: root.port },
      whoisPort: whois.port,
    });
    const seen = await runTest(probe, 'example.de', { ExpectNameServers: ['a.b'] });
    expect(seen, seen.text).toMatchObject({ code: 1, extended: { Domain: { Source: 'WHOIS' } } });
    expect(await runTest(probe, 'free.de')).toMatchObject({ code: 7, text: 'free.de is not registered' });
    expect([root.asked, whois.asked]).toEqual([['de'], ['example.de', 'free.de']]);
  });

  test('a top-level domain without any server says what to do', async () => {
    await using iana = await serveTexts(() => httpAnswer('200 OK', '{"services": []}'));
    await using root = await serveTexts(() => '% not found\n');
    const probe = newDomain({
      bootstrapUrl: `http://${iana.target}/`,
      whoisRoot: { host: '127.0.0.1', port: root.port },
    });
    expect(await runTest(probe, 'example.zz')).toMatchObject({
      code: 5,
      text: 'IANA knows neither an RDAP nor a WHOIS server of .zz: set RDAPServer if the registry has one',
    });
  });

  test.each([
    ['200 OK', '<html>', 3, 'it is no list of RDAP servers'],
    ['503 Busy', '', 3, 'SERVER answers 503 Busy'],
  ])("IANA's list with %s %s", async (status, body, code, why) => {
    await using iana = await serveTexts(() => httpAnswer(status, body));
    const url = `http://${iana.target}/dns.json`;
    const seen = await runTest(newDomain({ bootstrapUrl: url }), 'example.org');
    expect(seen.code).toBe(code);
    expect(seen.text).toBe(
      `the list of registries (${url}) cannot be read: ${why.replace('SERVER', iana.target)}`,
    );
  });

  test('while the registry does not answer, the last answer counts and says so', async () => {
    const clock = createFakeClock();
    let isUp = true;
    await using rdap = await serveTexts(() => httpAnswer(isUp ? '200 OK' : '503 Busy', good));
    const options = { RDAPServer: `http://${rdap.target}` };
    const run = () => runTest(domain, 'stale.example', options, { clock });
    expect(await run()).toMatchObject({ code: 1 });
    isUp = false;
    await clock.advance(5 * 3_600_000);
    expect((await run()).extended['Stale']).toBeUndefined();
    expect(rdap.asked).toHaveLength(1);
    await clock.advance(2 * 3_600_000);
    const stale = await run();
    expect(stale.code, stale.text).toBe(1);
    expect(stale.text).toMatch(/\(as of .*Z: 127\.0\.0\.1:\d+ answers 503 Busy\)$/);
    expect(rdap.asked).toHaveLength(2);
    await clock.advance(8 * 24 * 3_600_000);
    expect(await run()).toMatchObject({ code: 3 });
  });

  test('a WHOIS server that sends without end ends the check', async () => {
    await using iana = await serveTexts(() => httpAnswer('200 OK', '{"services": []}'));
    await using root = await serveTexts(() => 'whois: 127.0.0.1\n');
    await using whois = await serveTexts(() => 'x'.repeat(300 * 1024));
    const probe = newDomain({
      bootstrapUrl: `http://${iana.target}/`,
      whoisRoot: { host: '127.0.0.1', port: root.port },
      whoisPort: whois.port,
    });
    const seen = await runTest(probe, 'example.de');
    expect(seen).toMatchObject({ code: 3, text: `${whois.target} sent more than 256 KiB` });
  });

  test('the policy decides by the Method Domain', async () => {
    await using rdap = await serveTexts(() => httpAnswer('200 OK', good));
    const asked: string[] = [];
    const policy = {
      refuse({ method }: { readonly method: string }) {
        asked.push(method);
        return undefined;
      },
    };
    await runTest(newDomain(), 'example.org', { RDAPServer: `http://${rdap.target}` }, { policy });
    expect(asked).toEqual(['Domain']);
  });

  test.each([
    ['domain:example.org', 'example.org'],
    ['Müller.Example.', 'xn--mller-kva.example'],
  ])('reads %s', (url, host) => {
    expect(domain.parseTarget(url)).toMatchObject({ ok: true, target: { host, port: 0, display: url } });
  });

  test.each([
    '',
    'localhost',
    '192.0.2.1',
    'example.org:43',
    'https://example.org/',
    'a b.org',
    'x@example.org',
  ])('refuses %j and says what is accepted', (url) => {
    expect(domain.parseTarget(url)).toMatchObject({
      ok: false,
      message: expect.stringContaining('accepted is a domain such as example.org'),
    });
  });

  test.each([
    [{ RDAPServer: 'ftp://x' }, 'RDAPServer'],
    [{ RDAPServer: 'https://me:pw@x.example/' }, 'RDAPServer'],
    [{ ExpectNameServers: ['a b'] }, 'ExpectNameServers.0'],
  ])('%j is refused at %s', (options, place) => {
    expect(domain.options.safeParse(options).error?.issues.map(({ path }) => path.join('.'))).toEqual([
      place,
    ]);
  });
});
