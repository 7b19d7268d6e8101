import { existsSync, readFileSync } from 'node:fs';
import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { methods } from '@vantage/domain';
import { CheckSpecSchema } from '@vantage/proto';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AnyProbe } from '../contract/probe.ts';
import { maskOptions, secretPaths } from '../redact/secret-options.ts';
import { checkFunctions, probeFor, readSpec, registry, specOf } from './registry.ts';

const probes = Object.values(registry);
const arms = CheckSpecSchema.oneofs.find((each) => each.name === 'options')?.fields ?? [];

/** Keys of a zod object's JSON schema, nested ones dotted, as the API takes them. */
function keysOf(schema: unknown, path = ''): string[] {
  const object = z.looseObject({
    properties: z.record(z.string(), z.unknown()).optional(),
    items: z.unknown().optional(),
  });
  const { properties, items } = object.parse(schema ?? {});
  if (items !== undefined) return keysOf(items, path);
  return Object.entries(properties ?? {}).flatMap(([key, value]) => {
    const here = path === '' ? key : `${path}.${key}`;
    return [here, ...keysOf(value, here)];
  });
}

/** Keys of a message by their json_names. */
function fieldsOf(message: DescMessage | undefined, path = ''): string[] {
  return (message?.fields ?? []).flatMap((field: DescField) => {
    const here = path === '' ? field.jsonName : `${path}.${field.jsonName}`;
    const nested = field.fieldKind === 'message' || field.fieldKind === 'list' ? field.message : undefined;
    return [here, ...fieldsOf(nested, here)];
  });
}

describe.each(probes.map((probe): [string, AnyProbe] => [probe.method, probe]))('%s', (method, probe) => {
  test('stands under its own name and on its own arm of the wire', () => {
    expect(probeFor(method)).toBe(probe);
    expect(arms.map((field) => field.localName)).toContain(probe.optionsCase);
  });

  test('has Options that the wire carries key for key, each described', () => {
    const schema = z.toJSONSchema(probe.options, { io: 'input', unrepresentable: 'any' });
    const arm = arms.find((field) => field.localName === probe.optionsCase);
    const ofWire = fieldsOf(arm?.fieldKind === 'message' ? arm.message : undefined);
    expect(keysOf(schema).sort()).toEqual(ofWire.sort());
    const described = z.looseObject({
      properties: z.record(z.string(), z.looseObject({ description: z.string() })),
    });
    expect(described.safeParse(schema).error).toBeUndefined();
  });

  test('takes empty Options and refuses unknown keys', () => {
    expect(probe.options.safeParse({}).success).toBe(true);
    expect(probe.options.safeParse({ Nonsense: 1 }).success).toBe(false);
  });
});

test('every arm of the wire is a method and every method an arm', () => {
  expect(arms).toHaveLength(methods.length);
  expect(new Set(probes.map((probe) => probe.optionsCase)).size).toBe(probes.length);
});

test('no two methods give scripts a function of the same name', () => {
  const names = probes.flatMap((probe) => Object.keys(probe.scriptFunctions));
  expect(names.toSorted()).toEqual([...checkFunctions.keys()].toSorted());
});

test.each(methods)('scripts have a function for %s', (method) => {
  const functions = Object.keys(registry[method].scriptFunctions);
  expect(functions.length > 0, `${method} has no scriptFunctions`).toBe(!['Script', 'Push'].includes(method));
});

test.each(methods)('the Options of %s that look like secrets are in its secretOptions', (method) => {
  const probe = registry[method];
  const keys = keysOf(z.toJSONSchema(probe.options, { io: 'input', unrepresentable: 'any' }));
  const likeSecrets = keys.filter((key) =>
    /(password|passphrase|secret|token|privatekey|clientkey|apikey)$/i.test(key),
  );
  // A choice of yes or no: whether the value that a step extracts is secret.
  if (method === 'HTTP') likeSecrets.splice(likeSecrets.indexOf('Steps.Extract.Secret'), 1);
  expect(probe.secretOptions).toEqual(expect.arrayContaining(likeSecrets));
});

test('Steps survive the way over the wire', () => {
  const extract = { Name: 'token', JSONPath: '$.t', Secret: true };
  const first = { Name: 'a', Method: 'POST', Headers: { A: '1' }, Body: 'x', Extract: [extract] };
  const second = { Name: 'b', URL: '/b', ExpectStatus: ['200'], ExpectText: 't', MaxTimeMs: 5 };
  const options = { Steps: [first, second] };
  const read = readSpec(specOf({ method: 'HTTP', url: 'https://w.example/', timeoutMs: 3000, options }));
  expect(read).toMatchObject({ ok: true, check: { options } });
});

test('Options survive the way over the wire', () => {
  const options = {
    Method: 'POST',
    Headers: { 'X-One': '1' },
    MaxRedirects: 0,
    ExpectStatus: ['200-299'],
    TLS: { Verify: false, MinDaysLeft: 14 },
    Auth: 'Bearer',
    Token: 'x',
    SourceAddress: 'eth0',
    DSCP: 'EF',
  };
  const read = readSpec(specOf({ method: 'HTTP', url: 'https://w.example/', timeoutMs: 3000, options }));
  expect(read).toMatchObject({
    ok: true,
    check: {
      timeoutMs: 3000,
      target: { host: 'w.example', port: 443 },
      options: { ...options, Compression: true },
    },
  });
});

test('a spec that cannot be run says why', () => {
  const spec = specOf({ method: 'TCP', url: 'w.example', timeoutMs: 3000, options: {} });
  expect(readSpec(spec)).toMatchObject({ ok: false, message: expect.stringContaining('a port is missing') });
  spec.options = { case: undefined };
  expect(readSpec(spec)).toMatchObject({ ok: false, message: expect.stringContaining('has no probe') });
  expect(probeFor('tcp')).toBeUndefined();
});

test('a secret that does not fit where it is filled in is named by its place, not by its value', () => {
  const options = { Headers: { Authorization: 'Bearer sentinel\n' } };
  const spec = specOf({ method: 'HTTP', url: 'http://w.example/', timeoutMs: 3000, options });
  spec.secrets['TOKEN'] = 'sentinel\n';
  const read = readSpec(spec);
  expect(read).toMatchObject({
    ok: false,
    message: expect.stringMatching(
      /^Headers.Authorization cannot be used with its secret filled in: must be a header's value/,
    ),
  });
  expect(JSON.stringify(read)).not.toContain('sentinel');
});

test('secrets in Options are found in any spelling of their header and masked', () => {
  const options = {
    Password: 'a',
    Headers: { AUTHORIZATION: 'b', 'x-my-token': 'c', 'X-Api-Key': 'd', 'X-My.App-Key': 'h', Accept: 'e' },
    Proxy: 'http://u:p@proxy:3128',
    TLS: { ClientKey: 'f', ServerName: 'g' },
  };
  const probe = registry.HTTP;
  expect(secretPaths(probe, options)).toEqual([
    'Password',
    'Headers.AUTHORIZATION',
    'Headers.x-my-token',
    'Headers.X-Api-Key',
    'Headers.X-My.App-Key',
    'Proxy',
    'TLS.ClientKey',
  ]);
  expect(maskOptions(probe, options)).toEqual({
    Password: '***',
    Headers: {
      AUTHORIZATION: '***',
      'x-my-token': '***',
      'X-Api-Key': '***',
      'X-My.App-Key': '***',
      Accept: 'e',
    },
    Proxy: '***',
    TLS: { ClientKey: '***', ServerName: 'g' },
  });
  expect(secretPaths(probe, { Proxy: 'http://proxy:3128' })).toEqual([]);
});

test.each(methods)('%s has a test beside its file', (method) => {
  const name = method.toLowerCase();
  const places = [`../methods/${name}.test.ts`, `../methods/${name}/${name}.test.ts`];
  const place = places.map((each) => new URL(each, import.meta.url)).find((each) => existsSync(each));
  const text = place === undefined ? undefined : readFileSync(place, 'utf8');
  expect(text, `${name}.test.ts is missing`).toBeDefined();
  if (registry[method].tracePackets === 'tcp')
    expect(text, `${name}.test.ts calls probeContract()`).toContain('probeContract(');
});
