import { createFakeClock } from '@vantage/kernel/testing';
import { expect, test } from 'vitest';
import { type ReadyCheck, readSpec, specOf } from '../engine/registry.ts';
import { runCheck } from '../engine/run.ts';
import { createDial } from '../net/dial.ts';

const local = (name: string) => ['$', '{local:', name, '}'].join('');
const values = new Map([
  ['mail', 'p@ss/w rd'],
  ['token', 'tok-$&-1'],
]);
const lookup = (name: string) => values.get(name);

function checkOf(spec: ReturnType<typeof specOf>): ReadyCheck {
  const reading = readSpec(spec, lookup);
  if (!reading.ok) throw new Error(reading.message);
  return reading.check;
}

test('Options and the login of the URL are filled, wherever in them the reference stands', () => {
  const check = checkOf(
    specOf({
      method: 'HTTP',
      url: `https://me:${local('mail')}@example.org/x`,
      timeoutMs: 4000,
      options: { Headers: { Authorization: `Bearer ${local('token')}` }, Body: local('token') },
    }),
  );
  expect(check.target).toMatchObject({ host: 'example.org', user: 'me', path: '/x' });
  expect(check.target.password?.reveal()).toBe('p@ss/w rd');
  expect(check.target.display).not.toContain('p%40ss');
  expect(check.options).toMatchObject({ Headers: { Authorization: 'Bearer tok-$&-1' }, Body: 'tok-$&-1' });
  expect(check.timeoutMs).toBe(4000);
  expect([...(check.secrets ?? [])].map(([name, value]) => [name, value.reveal()])).toEqual([
    ['local:mail', 'p@ss/w rd'],
    ['local:token', 'tok-$&-1'],
  ]);
});

test('an unknown name is reported with its setting, and no other value is', () => {
  const options = { User: 'me', Password: local('nobody'), ExpectText: local('token') };
  const spec = specOf({ method: 'HTTP', url: `http://a:${local('else')}@b.example`, timeoutMs: 1, options });
  expect(readSpec(spec, lookup)).toEqual({
    ok: false,
    message: `this agent does not know ${local('else')} in URL, ${local('nobody')} in Password: put it into the file that VANTAGE_AGENT_SECRETS_FILE names on the agent's machine`,
  });
});

test('a secret never becomes part of a host or a path', () => {
  for (const url of [`http://example.org/${local('mail')}`, `http://${local('mail')}.example.org`])
    expect(readSpec(specOf({ method: 'HTTP', url, timeoutMs: 1, options: {} }), lookup)).toEqual({
      ok: false,
      message: expect.stringContaining('user or password only'),
    });
});

test('a script gets what it asks for by its whole name; its text stays', () => {
  const url = 'log(secret("local:mail"), secret("own"))';
  const spec = specOf({ method: 'Script', url, timeoutMs: 1, options: {} });
  spec.secrets = { own: 'of the account' };
  const check = checkOf(spec);
  expect(check.target.url).toBe(url);
  expect([...(check.secrets ?? [])].map(([name, value]) => [name, value.reveal()])).toEqual([
    ['own', 'of the account'],
    ['local:mail', 'p@ss/w rd'],
  ]);
  const other = specOf({ method: 'Script', url: 'secret("local:nobody")', timeoutMs: 1, options: {} });
  expect(readSpec(other, lookup)).toMatchObject({ ok: false, message: expect.stringContaining('nobody') });
});

test('what was filled in shows in no text and no extended data', async () => {
  const options = { Body: local('token') };
  const check = checkOf(specOf({ method: 'HTTP', url: 'http://a.example', timeoutMs: 1000, options }));
  const leaky = {
    ...check.probe,
    run: async () => ({
      code: 5 as const,
      text: 'expected tok-$&-1',
      dataSize: 0,
      extended: { Seen: `x ${encodeURIComponent('tok-$&-1')} tok-$&-1` },
    }),
  };
  const measured = await runCheck(
    {
      clock: createFakeClock(),
      policy: { refuse: () => undefined },
      dial: createDial(),
      signal: new AbortController().signal,
      random: () => 0,
    },
    { ...check, probe: leaky },
  );
  expect(measured.text).toBe('expected ***');
  expect(measured.extended).toMatchObject({ Seen: 'x *** ***' });
});
