import { generateKeyPairSync } from 'node:crypto';
import { type AnyProbe, maskOptions, probeFor, registry, secretPaths } from '@vantage/probes';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveTarget } from './device-target.ts';

const { privateKey: key } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'sec1', format: 'pem' },
});
/** A method that takes secrets: a URL with a login where it may have one, and every secret Option. */
interface Kind {
  readonly method: string;
  readonly scheme: string;
  readonly other: string;
  readonly login: boolean;
  readonly options: Readonly<Record<string, unknown>>;
}

const https = { method: 'HTTP', scheme: 'https', other: 'http', login: false } as const;
/** Those whose secrets have several forms. */
const special: readonly Kind[] = [
  {
    method: 'HTTP',
    scheme: 'https',
    other: 'http',
    login: true,
    options: {
      User: 'u',
      Password: 'kept-1',
      Proxy: 'http://p:kept-2@proxy.example:3128',
      Headers: {
        authorization: 'Bearer kept-3',
        Cookie: 'kept-4',
        'Proxy-Authorization': 'kept-5',
        'X-Api-Key': 'kept-6',
        'x-my.app-TOKEN': 'kept-7',
        Accept: 'text/html',
      },
      TLS: { ClientKey: key },
      Steps: [
        {
          Name: 'a',
          URL: '/login',
          Headers: { authorization: 'kept-8', 'X-One-Key': 'kept-9', Accept: '*/*' },
        },
        { Name: 'b', Headers: { Cookie: 'kept-10' } },
      ],
    },
  },
  { ...https, options: { Auth: 'Bearer', Token: 'kept-1' } },
  {
    method: 'WebSocket',
    scheme: 'wss',
    other: 'ws',
    login: true,
    options: {
      User: 'u',
      Password: 'kept-1',
      Headers: {
        authorization: 'Bearer kept-2',
        Cookie: 'kept-3',
        'Proxy-Authorization': 'kept-4',
        'X-Api-Key': 'kept-5',
        'X-Token': 'kept-6',
        Accept: 'text/html',
      },
      TLS: { ClientKey: key },
    },
  },
  {
    method: 'gRPC',
    scheme: 'grpcs',
    other: 'grpc',
    login: false,
    options: {
      Metadata: {
        authorization: 'Bearer kept-1',
        cookie: 'kept-2',
        'x-api-key': 'kept-3',
        'session-token': 'kept-4',
        'x-tenant': 'shop',
      },
      TLS: { ClientKey: key },
    },
  },
  {
    method: 'SSH',
    scheme: 'ssh',
    other: 'ssh',
    login: true,
    options: { User: 'u', Password: 'kept-1', PrivateKey: key, Passphrase: 'kept-2' },
  },
  { method: 'TCP', scheme: 'tls', other: 'tcp', login: false, options: { TLS: { ClientKey: key } } },
  {
    method: 'DNS',
    scheme: 'dns',
    other: 'dns',
    login: false,
    options: { Transport: 'TLS', TLS: { ClientKey: key } },
  },
  {
    method: 'SNMP',
    scheme: 'snmp',
    other: 'snmp',
    login: false,
    options: {
      Version: 'v3',
      User: 'u',
      Community: 'kept-1',
      AuthKey: 'kept-2-long',
      PrivKey: 'kept-3-long',
    },
  },
  {
    method: 'RADIUS',
    scheme: 'radius',
    other: 'radius',
    login: true,
    options: { User: 'u', Password: 'kept-1', Secret: 'kept-2' },
  },
];

/** A method whose secrets are those of the line protocols: a password, and the key of a client certificate. */
function kindOf(probe: AnyProbe): Kind {
  const accepts = (url: string) => probe.parseTarget(url).ok;
  const example = probe.parseTarget(probe.example.URL);
  const named = example.ok ? example.target.scheme : '';
  const plain = named.replace(/s$/, '');
  const scheme = accepts(`${plain}://a.example:1025`) ? plain : named;
  const login = accepts(`${scheme}://me:kept@a.example:1025`);
  return {
    method: probe.method,
    scheme,
    other: accepts(`${scheme}s://a.example:1025`) ? `${scheme}s` : scheme,
    login,
    options: { ...(login && { User: 'u', Password: 'kept-1' }), TLS: { ClientKey: key } },
  };
}

const others = Object.values(registry).filter(
  ({ method, secretOptions }) => secretOptions.length > 0 && !special.some((kind) => kind.method === method),
);
const kinds: readonly Kind[] = [...special, ...others.map(kindOf)];

const place = fc.record({
  scheme: fc.boolean(),
  host: fc.constantFrom('a.example', 'b.example', '192.0.2.1', '[2001:db8::1]'),
  port: fc.constantFrom(1025, 2025),
  user: fc.constantFrom('me', 'you', 'm%40e'),
  optionsUser: fc.constantFrom('u', 'v'),
  proxy: fc.constantFrom('same', 'other', 'none'),
  path: fc.constantFrom('', '/'),
});
type Place = typeof place extends fc.Arbitrary<infer One> ? One : never;

const urlOf = ({ scheme, other, login, method }: Kind, at: Place, password: string) => {
  const path = method === 'DNS' ? '/x.example' : method === 'HTTP' ? at.path : '';
  return `${at.scheme ? scheme : other}://${login ? `${at.user}:${password}@` : ''}${at.host}:${at.port}${path}`;
};

/** Options as they come back from the API, sent to a place. */
function sentOptions(kind: Kind, at: Place) {
  const { User, Proxy: kept, ...rest } = kind.options;
  const proxy = { same: kept, other: 'http://p:new@evil.example:3128', none: undefined }[at.proxy];
  const all = {
    ...rest,
    ...(User !== undefined && { User: at.optionsUser }),
    ...(kept !== undefined && proxy !== undefined && { Proxy: proxy }),
  };
  const probe = probeFor(kind.method);
  const masked = probe === undefined ? all : maskOptions(probe, all);
  return {
    ...(typeof masked === 'object' && masked !== null ? masked : {}),
    ...(kept !== undefined && at.proxy === 'other' && { Proxy: proxy }),
  };
}

function identity(kind: Kind, at: Place) {
  return JSON.stringify([
    at.scheme ? kind.scheme : kind.other,
    at.host,
    at.port,
    kind.login && at.user,
    kind.options['User'] !== undefined && at.optionsUser,
    kind.options['Proxy'] !== undefined && at.proxy,
  ]);
}

it.each(others.map((probe): [string, AnyProbe] => [probe.method, probe]))(
  'the secrets of %s are those of a line protocol (else: a row in `special`)',
  (_method, probe) => {
    expect(secretPaths(probe, kindOf(probe).options)).toEqual([...probe.secretOptions]);
  },
);

describe.each(kinds.map((kind): [string, Kind] => [kind.method, kind]))('the masks of %s', (method, kind) => {
  const first: Place = {
    scheme: true,
    host: 'a.example',
    port: 1025,
    user: 'me',
    optionsUser: 'u',
    proxy: 'same',
    path: '/',
  };
  const current = { url: urlOf(kind, first, 'kept%2F0'), options: kind.options };
  const paths = secretPaths(probeFor(method) ?? expect.fail('no probe'), kind.options);

  it('stand for every secret there is', () => {
    const made = resolveTarget(method, { URL: current.url, Options: kind.options }, undefined);
    expect(made).toMatchObject({ ok: true });
    const shown = made.ok ? JSON.stringify([made.target.shownUrl, made.target.shownOptions]) : '';
    expect(shown).not.toMatch(/kept|KEY/);
    expect(shown.split('***').length - 1).toBe(paths.length + (kind.login ? 1 : 0));
  });

  it('keep them for the same scheme, host, port and user, and are refused by name for any other', () => {
    fc.assert(
      fc.property(place, fc.boolean(), fc.boolean(), (at, withUrl, withOptions) => {
        const to = withUrl
          ? at
          : { ...at, scheme: true, host: first.host, port: first.port, user: first.user };
        const as = withOptions ? to : { ...to, optionsUser: first.optionsUser, proxy: first.proxy };
        const sent = {
          ...(withUrl && { URL: urlOf(kind, as, '***') }),
          ...(withOptions && { Options: sentOptions(kind, as) }),
        };
        const verdict = resolveTarget(method, sent, current);
        if (identity(kind, as) === identity(kind, first)) {
          expect(verdict).toMatchObject({
            ok: true,
            target: {
              clear: { options: kind.options, url: withUrl ? urlOf(kind, as, 'kept%2F0') : current.url },
            },
          });
          return;
        }
        expect(verdict.ok).toBe(false);
        const named = verdict.ok ? [] : verdict.faults.map(({ field }) => field);
        const gone = as.proxy === 'same' ? [] : ['Proxy'];
        const wanted = paths.filter((each) => !gone.includes(each)).map((each) => `Options.${each}`);
        expect(named).toEqual(expect.arrayContaining([...wanted, ...(withUrl && kind.login ? ['URL'] : [])]));
        expect(JSON.stringify(verdict)).not.toMatch(/kept-|kept%|KEY/);
      }),
      { numRuns: 300 },
    );
  });

  it('are never taken for secrets themselves', () => {
    const masked = sentOptions(kind, first);
    for (const sent of [
      { URL: urlOf(kind, first, '***'), Options: masked },
      { URL: current.url, Options: masked },
    ]) {
      const verdict = resolveTarget(method, sent, undefined);
      expect(verdict.ok).toBe(false);
    }
    // What is kept may be nothing but masks, when the key that sealed it is lost.
    const lost = { url: urlOf(kind, first, '***'), options: masked };
    expect(resolveTarget(method, {}, lost).ok).toBe(false);
    expect(resolveTarget(method, { URL: lost.url, Options: masked }, lost).ok).toBe(false);
    expect(resolveTarget(method, { URL: current.url, Options: kind.options }, lost)).toMatchObject({
      ok: true,
      target: { clear: current },
    });
  });
});

describe('the masks of steps', () => {
  const step = (Name: string, URL: string, value: string) => ({ Name, URL, Headers: { 'X-Api-Key': value } });
  const options = { Steps: [step('a', '/a', 'kept-1'), step('b', 'https://b.example/', 'kept-2')] };
  const current = { url: 'https://a.example/', options };

  it('follow the names of the steps, not their places', () => {
    const Steps = [
      step('b', 'https://b.example/x', '***'),
      step('new', '/n', 'fresh'),
      step('a', '/y', '***'),
    ];
    expect(resolveTarget('HTTP', { Options: { Steps } }, current)).toMatchObject({
      ok: true,
      target: {
        clear: {
          options: {
            Steps: [{ Headers: { 'X-Api-Key': 'kept-2' } }, {}, { Headers: { 'X-Api-Key': 'kept-1' } }],
          },
        },
        shownOptions: { Steps: [{ Headers: { 'X-Api-Key': '***' } }, {}, {}] },
      },
    });
  });

  it('are kept for the steps that stay, when the only one at another origin goes', () => {
    const Steps = [step('a', '/a', '***')];
    expect(resolveTarget('HTTP', { Options: { Steps } }, current)).toMatchObject({ ok: true });
  });

  it.each([
    [[step('renamed', '/a', '***')]],
    [[step('a', 'https://evil.example/', '***')]],
    [
      [
        step('a', '/a', '***'),
        step('b', 'https://b.example/', '***'),
        step('c', 'https://evil.example/', 'x'),
      ],
    ],
    [[step('a', '/a', '***'), step('b', 'http://b.example/', '***')]],
  ])('are refused for another name, and while any step leads to a new origin: %j', (Steps) => {
    const verdict = resolveTarget('HTTP', { Options: { Steps } }, current);
    const fields = verdict.ok ? [] : verdict.faults.map(({ field }) => field);
    expect(new Set(fields)).toEqual(new Set(['Options.Steps.Headers.X-Api-Key']));
  });
});

it.each(['http://p:***@proxy.example:3128', 'http://p:%2A%2a*@proxy.example:3128'])(
  'a proxy that is %s is refused: its mask is the whole of it',
  (proxy) => {
    const current = { url: 'http://a.example/', options: { Proxy: 'http://p:secret@proxy.example:3128' } };
    expect(resolveTarget('HTTP', { Options: { Proxy: proxy } }, current)).toMatchObject({
      ok: false,
      faults: [{ field: 'Options.Proxy' }],
    });
  },
);

it('the mask in percents is the mask', () => {
  const current = { url: 'smtp://me:pass@a.example', options: {} };
  expect(resolveTarget('SMTP', { URL: 'smtp://me:%2A%2A%2a@a.example' }, current)).toMatchObject({
    ok: true,
    target: { clear: { url: 'smtp://me:pass@a.example' } },
  });
});

it('a DNS server that is asked for the name is part of the place', () => {
  const options = { Server: '192.0.2.1', Transport: 'TLS', TLS: { ClientKey: key } };
  const current = { url: 'x.example', options };
  const masked = { ...options, TLS: { ClientKey: '***' } };
  expect(resolveTarget('DNS', { Options: masked }, current)).toMatchObject({ ok: true });
  for (const other of [{ Server: '192.0.2.2' }, { CompareSOAWith: ['192.0.2.2'] }])
    expect(resolveTarget('DNS', { Options: { ...masked, ...other } }, current)).toMatchObject({
      ok: false,
      faults: [{ field: 'Options.TLS.ClientKey' }],
    });
});
