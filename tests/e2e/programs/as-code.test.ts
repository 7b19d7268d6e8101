import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Ran, runVantage, runVantageHere } from '../../harness/run-vantage.ts';
import { operate, system } from './system.ts';

const folder = path.join(tmpdir(), `vantage-as-code-${process.pid}`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The text of an input lies here. */
const inputFile = path.join(folder, 'input.yaml');
mkdirSync(folder);

/** The settings of a client on another machine. */
function access(more: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { base_url, api_key_uw, ca_file } = system.quickstart();
  return { VANTAGE_SERVER: base_url, VANTAGE_KEY: api_key_uw, VANTAGE_CA: ca_file, ...more };
}

/** Runs a command against the controller as from another machine; it reads the input from `inputFile`. */
async function run(
  args: readonly string[],
  input = '',
  more: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  writeFileSync(inputFile, input);
  return runVantageHere(args, access(more));
}

/** Applies a text as `run` does. */
const apply = (text: string, ...args: readonly string[]) =>
  run(['apply', '-f', inputFile, '--yes', ...args], text);

/** Applies a text as a process that reads it from its standard input. */
const pipe = (text: string, more: Readonly<Record<string, string>> = {}) =>
  runVantage(['apply', '-f', '-', '--yes'], { env: access(more), input: text, cwd: tmpdir() });
const issued = z.object({ key: z.string() });
const device = z.object({
  device_id: z.string(),
  ShortName: z.string(),
  ExternalKey: z.string().nullable(),
  Source: z.string().nullable(),
  Severity: z.string(),
});
async function devices(query: string): Promise<readonly z.infer<typeof device>[]> {
  return z.array(device).parse(await system.api.ok('GET', `/devices?Limit=100${query}`));
}

const whole = `
source: net/berlin
defaults:
  all: { Frequency: 1 }
  PING: { Options: { Count: 3 } }
  berlin/*: { Severity: warning }
tags:
  - { Key: rack, Name: berlin/rack-1 }
contacts:
  - { Key: noc, Name: NOC, Type: webhook, Address: "https://example.org/\${env:HOOK_TOKEN}", Secret: "\${env:HOOK}" }
nschedules:
  - Key: office
    Name: Office hours
    Timezone: Europe/Berlin
    Steps: [{ DelayMinutes: 5, Contacts: [noc], Days: [Mon, Fri], RepeatMinutes: null }]
mschedules:
  - { Key: patch, Name: Patch Sunday, Start: 2026-03-01T02:00, Duration: "01:00", Recurrence: FREQ=WEEKLY;BYDAY=SU }
locations:
  - { Key: oslo, Name: Oslo, nschedule_id: office, Anchors: [{ Name: gateway, Target: 192.0.2.1 }] }
devices:
  - { Key: web, Method: HTTP, URL: https://10.20.0.80/, ShortName: web, device_master_id: rt-01, Locations: [oslo] }
  - { Key: rt-01, Method: PING, URL: 10.20.0.1, ShortName: rt1, Tags: [rack], nschedule_id: office, mschedule_id: patch }
`;
const env = {
  HOOK: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  HOOK_TOKEN: 'x',
};

describe('devices as code', { timeout: 240_000 }, () => {
  test('a file is applied whole; the same again changes nothing; an edit is shown and taken back', async () => {
    const first = await pipe(whole, env);
    expect(first).toMatchObject({ code: 0, stderr: '7 done.\n' });
    expect(first.stdout).toContain('7 created, 0 unchanged.');
    const made = await devices('&Source=net/berlin');
    expect(made.map(({ ShortName, Severity }) => [ShortName, Severity])).toEqual([
      ['rt1', 'warning'],
      ['web', 'critical'],
    ]);
    expect(await run(['diff', '-f', inputFile], whole, env)).toMatchObject({
      code: 0,
      stdout: '7 unchanged.\n',
    });
    const router = made[0]?.device_id ?? '';
    await system.api.ok('PUT', `/devices/${router}`, { Timeout: 9, Tags: [] });
    const drift = await run(['diff', '-f', inputFile], whole, env);
    expect(drift.code).toBe(3);
    expect(drift.stdout).toContain('Timeout: 9 → 30');
    expect(drift.stdout).toContain('Tags: [] → ["rack"]');
    expect((await run(['apply', '-f', inputFile, '--yes'], whole, env)).stdout).toContain(
      '1 changed, 6 unchanged.',
    );
    const { api_key_ur } = system.quickstart();
    const viewed = await run(['diff', '-f', inputFile], whole, { ...env, VANTAGE_KEY: api_key_ur });
    expect(viewed).toMatchObject({ code: 0, stdout: '7 unchanged.\n' });
  });

  test('what left the file is named, then pruned; another source is never touched', async () => {
    const two = ['a', 'b'].map(
      (key) => `  - { Key: p-${key}, Method: TCP, URL: 127.0.0.1:9, ShortName: p-${key} }`,
    );
    expect(await apply(`source: p\ndevices:\n${two.join('\n')}\n`)).toMatchObject({ code: 0 });
    const less = `source: p\ndevices:\n${two[0]}\n`;
    const named = await run(['diff', '-f', inputFile], less);
    expect(named.code).toBe(3);
    expect(named.stdout).toContain('? device p-b "p-b": no longer in the file, not changed');
    const foreign = await apply(less.replace('source: p', 'source: q'));
    expect(foreign.code).toBe(2);
    expect(foreign.stderr).toContain('input.yaml:3:12: the device p-a is managed by the source "p"');
    expect((await apply(less, '--prune=pause')).stdout).toContain('1 paused');
    expect(await system.api.ok('GET', '/devices?ExternalKey=p-b')).toMatchObject([
      { Enabled: false, Source: 'p' },
    ]);
    expect((await apply(less, '--prune=delete')).stdout).toContain('1 deleted');
    expect(await devices('&ExternalKey=p-b')).toEqual([]);
  });

  test('wrong values are named by their place, and nothing is changed', async () => {
    const bad = `source: bad
devices:
  - { Key: x, Method: PING, URL: 10.0.0.1, ShortName: x, Frequenzy: 1 }
  - { Key: y, Method: HTTP, URL: "http://u:pw@10.0.0.1/", ShortName: y, Options: { Timeout: 3 } }
  - { Key: y, Method: TCP, ShortName: y, Tags: [none] }
`;
    const refused = await pipe(bad);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(
      'standard input:3:58: "Frequenzy" is not known; did you mean Frequency?',
    );
    expect(refused.stderr).toContain('standard input:5:12: the Key y occurs twice under devices');
    const judged = await apply(
      bad.replace('Frequenzy', 'Frequency').replace('Key: y, Method: TCP', 'Key: z, Method: TCP'),
    );
    expect(judged.stderr).toContain('input.yaml:4:34: URL has a secret in clear');
    expect(judged.stderr).toContain('input.yaml:5:5: device z needs URL');
    expect(judged.stderr).toContain('"none" is neither the Key, the name nor the id of a tag');
    const value = `devices:\n  - { Key: w, Method: PING, URL: 10.0.0.1, ShortName: w, Frequency: 7 }\n`;
    for (const command of [['diff'], ['apply', '--yes']]) {
      const late = await run([...command, '-f', inputFile], value);
      expect(late.code).toBe(1);
      expect(late.stderr).toContain('input.yaml:2:69: device w: Frequency ');
    }
    for (const key of ['w', 'x', 'y', 'z']) expect(await devices(`&ExternalKey=${key}`)).toEqual([]);
  });

  test('things without a Key are taken over where that is asked for', async () => {
    await system.api.ok('POST', '/devices', { Method: 'TCP', URL: '127.0.0.1:7', ShortName: 'old' });
    const file = `source: adopted\ndevices:\n  - { Key: old-1, Method: TCP, URL: 127.0.0.1:7, ShortName: old }\n`;
    const refused = await apply(file);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('--adopt gives it the Key old-1');
    expect((await apply(file, '--adopt')).stdout).toContain('ExternalKey: null → "old-1"');
    expect(await devices('&Source=adopted')).toMatchObject([{ ExternalKey: 'old-1' }]);
  });

  test('an export has no difference, and leads an empty account to the same export', async () => {
    const exported = await run(['export']);
    expect(exported.code).toBe(0);
    expect(await run(['diff', '-f', inputFile], exported.stdout)).toMatchObject({ code: 0 });
    const part = (await run(['export', '--source', 'net/berlin'])).stdout;
    await operate('accounts', 'create', 'empty');
    const { key } = issued.parse(await operate('keys', 'issue', '--account', 'empty'));
    // What is masked has to be given again.
    const open = part.replace(
      /Address: .*/,
      `Address: "https://example.org/\${env:HOOK_TOKEN}"\n    Secret: "\${env:HOOK}"`,
    );
    const there = await run(['apply', '-f', inputFile, '--yes'], open, { ...env, VANTAGE_KEY: key });
    expect(there).toMatchObject({ code: 0 });
    expect((await run(['export', '--source', 'net/berlin'], '', { VANTAGE_KEY: key })).stdout).toBe(part);
    expect((await run(['export', '--format', 'csv'])).stdout).toContain('rt-01,PING,10.20.0.1');
  });

  test('a kept plan is carried out as it was shown, and refused when its base has moved', async () => {
    const file = (timeout: number) =>
      `source: kept\ndevices:\n  - { Key: k, Method: TCP, URL: 127.0.0.1:9, ShortName: k, Timeout: ${timeout} }\n`;
    await apply(file(5));
    const kept = `${folder}.plan`;
    expect(await run(['plan', '-f', inputFile, '-o', kept], file(6))).toMatchObject({ code: 0 });
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    const [made] = await devices('&ExternalKey=k');
    await system.api.ok('PUT', `/devices/${made?.device_id}`, { RetryDelay: 3 });
    const moved = await run(['apply', kept, '--yes']);
    expect(moved.code).toBe(1);
    expect(moved.stderr).toContain('Nothing is changed');
    expect(moved.stderr).toContain('The settings were changed meanwhile');
    expect(await run(['plan', '-f', inputFile, '-o', kept], file(6))).toMatchObject({ code: 0 });
    expect(await run(['apply', kept, '--yes'])).toMatchObject({ code: 0 });
    expect(await system.api.ok('GET', `/devices/${made?.device_id}`)).toMatchObject({
      Timeout: 6,
      RetryDelay: 1,
    });
    rmSync(kept);
  });

  test('of two applies of one source at once, one wins and the other says so', async () => {
    const file = (name: string) =>
      `source: race\ndevices:\n${Array.from({ length: 40 }, (_, i) => `  - { Key: r${i}, Method: TCP, URL: 127.0.0.1:9, ShortName: r${i}, FullName: ${name} }`).join('\n')}\n`;
    for (const [one, other] of [
      ['a', 'b'],
      ['c', 'd'],
    ] as const) {
      const both = await Promise.all([pipe(file(one)), pipe(file(other))]);
      const names = z
        .array(z.object({ FullName: z.string() }))
        .parse(await system.api.ok('GET', '/devices?Source=race&Limit=100'));
      expect(names).toHaveLength(40);
      // The second may have begun after the first was done; then it is the one that wins.
      const winners = both.filter(({ code }) => code === 0);
      expect(winners.length).toBeGreaterThanOrEqual(1);
      expect(new Set(names.map(({ FullName }) => FullName)).size).toBe(1);
      for (const { code, stderr } of both) if (code !== 0) expect(stderr).toContain('Nothing is changed');
    }
  });

  test('a key that is limited to tags applies a file of its devices, and is told what it may not do', async () => {
    await system.api.ok('POST', '/tags', { Name: 'scoped' });
    const admin = issued.parse(await operate('keys', 'issue', '--level', 'UA', '--name', 'admin'));
    const body = { Name: 'limited', Level: 'UW', Tags: ['scoped'] };
    const answer = await system.api.call('POST', '/keys', body, { 'Service-API-Key': admin.key });
    const limited = { VANTAGE_KEY: z.object({ Key: z.string() }).parse(answer.body).Key };
    const own = (name: string, tags: string) =>
      `source: scoped\ndevices:\n  - { Key: ${name}, Method: TCP, URL: 127.0.0.1:9, ShortName: ${name}, Tags: [${tags}] }\n`;
    const made = await run(['apply', '-f', inputFile, '--yes'], own('mine', 'scoped'), limited);
    expect(made).toMatchObject({ code: 0, stderr: '1 done.\n' });
    expect((await run(['diff', '-f', inputFile], own('mine', 'scoped'), limited)).stdout).toBe(
      '1 unchanged.\n',
    );
    const refused = await run(['apply', '-f', inputFile, '--yes'], own('other', ''), limited);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('must keep one of the tags to which your key is limited');
    expect(await devices('&ExternalKey=other')).toEqual([]);
  });

  test('a profile is kept for its owner and used from anywhere', async () => {
    const home = { XDG_CONFIG_HOME: folder };
    const { base_url, api_key_uw, ca_file } = system.quickstart();
    const refused = await runVantageHere(
      ['login', '--server', base_url, '--key', 'wrong', '--ca', ca_file],
      home,
    );
    expect(refused.code).toBe(1);
    const args = ['login', '--server', new URL('/', base_url).href, '--key', '-', '--ca', ca_file];
    const kept = await runVantage(args, { env: home, input: `${api_key_uw}\n` });
    expect(kept).toMatchObject({ code: 0 });
    const file = path.join(folder, 'vantage', 'profiles.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ default: { server: base_url } });
    expect(await runVantageHere(['export', '--source', 'none'], home)).toMatchObject({ code: 0 });
    writeFileSync(file, 'no');
    expect((await runVantageHere(['export'], home)).stderr).toContain('has no valid profiles');
  });
});
