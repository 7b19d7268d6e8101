import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadConfig } from './controller-config.ts';
import { readGroups, rightsOf } from './oidc-settings.ts';

const load = (env: Readonly<Record<string, string>>) =>
  loadConfig({ env, cwd: '/srv', readText: () => Promise.reject(new Error('no file')) as never });
const oidcOf = (env: Readonly<Record<string, string>>) => {
  const loaded = load(env);
  return loaded.ok ? loaded.config.oidc : loaded.problems;
};

test('groups are read with their level and tags', () => {
  expect(readGroups('admins=UA; berlin team = UW : berlin, berlin/rack-3 ;noc=UO;')).toEqual([
    { group: 'admins', level: 'UA', tags: null },
    { group: 'berlin team', level: 'UW', tags: ['berlin', 'berlin/rack-3'] },
    { group: 'noc', level: 'UO', tags: null },
  ]);
});

test.each(['', ';', 'admins', 'admins=XX', 'a=UR;b', 'a=UW:', 'a=UW:b,,c', '=UA'])(
  '%j is no list of groups',
  (text) => {
    expect(readGroups(text)).toBeUndefined();
  },
);

test('the first group of the setting that somebody is in counts, whatever the order of their groups is', () => {
  const names = ['a', 'b', 'c', 'd'];
  const mapping = names.map((group) => ({ group, level: 'UR' as const, tags: [group] }));
  fc.assert(
    fc.property(fc.shuffledSubarray([...names, 'x', 'y']), (groups) => {
      const first = names.find((name) => groups.includes(name));
      expect(rightsOf(mapping, new Set(groups))?.group).toBe(first);
    }),
  );
});

test('a provider needs an issuer and a client id, and HTTPS unless it is on this machine', () => {
  const both = { VANTAGE_OIDC_ISSUER: 'https://login.example.org', VANTAGE_OIDC_CLIENT_ID: 'vantage' };
  expect(oidcOf({})).toBeUndefined();
  expect(oidcOf({ ...both, VANTAGE_OIDC_CLIENT_SECRET_FILE: 'oidc.secret' })).toEqual({
    issuer: 'https://login.example.org',
    clientId: 'vantage',
    clientSecretFile: '/srv/oidc.secret',
    groups: undefined,
    account: 'default',
  });
  expect(oidcOf({ VANTAGE_OIDC_ISSUER: both.VANTAGE_OIDC_ISSUER })).toEqual([
    'VANTAGE_OIDC_ISSUER and VANTAGE_OIDC_CLIENT_ID must be given together',
  ]);
  expect(oidcOf({ ...both, VANTAGE_OIDC_ISSUER: 'http://127.0.0.1:9000' })).toMatchObject({
    account: 'default',
  });
  for (const wrong of ['http://login.example.org', 'login.example.org', 'https://a.example/#x'])
    expect(oidcOf({ ...both, VANTAGE_OIDC_ISSUER: wrong })).toEqual([
      expect.stringContaining('VANTAGE_OIDC_ISSUER'),
    ]);
});
