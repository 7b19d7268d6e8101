import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { startRest } from '../../apps/controller/src/api/testing/rest.ts';

const repository = path.resolve(import.meta.dirname, '../..');

/** Programs that a user of the generated types might write. All begin with `head`. */
const head = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.ts';
type Device = components['schemas']['Device'];
const client = createClient<paths>({ baseUrl: 'https://monitor.example.com/v1.1' });
const one = { params: { path: { device_id: 'an id' } } } as const;
`;

const right: Readonly<Record<string, string>> = {
  'creates devices of several Methods': `
    const { data, error } = await client.POST('/devices', {
      body: { Method: 'HTTP', URL: 'https://www.example.com/', ShortName: 'web', Options: { ExpectText: 'ok' } },
    });
    const id: string | undefined = data?.device_id;
    const code: 1000 | 1001 | 1002 | 1003 | 1004 | 1005 | 1006 | 1007 | 1500 | 1503 | undefined = error?.code;
    await client.POST('/devices', { body: { Method: 'Script', URL: 'log(1)', ShortName: 'shop', Frequency: 60 } });
    console.log(id, code);`,
  'reads a device and knows its Options by its Method': `
    const { data } = await client.GET('/devices/{device_id}', one);
    const read = (device: Device): string | undefined =>
      device.Method === 'HTTP' ? device.Options.ExpectText : device.Method === 'DNS' ? device.Options.Type : undefined;
    if (data !== undefined) console.log(read(data), data.Status === 'Up', data.Tags[0]?.Name);`,
  'sends back what it read, with a change': `
    const { data } = await client.GET('/devices/{device_id}', one);
    if (data !== undefined) await client.PUT('/devices/{device_id}', { ...one, body: { ...data, Frequency: 1 } });
    if (data?.Method === 'TCP')
      await client.PUT('/devices/{device_id}', { ...one, body: { ...data, Options: { ...data.Options, SlowMs: 9 } } });
    const { data: account } = await client.GET('/account');
    if (account !== undefined) await client.PUT('/account', { body: { ...account, Timezone: 'UTC' } });`,
  'changes a single field, clears Options, starts maintenance': `
    await client.PUT('/devices/{device_id}', { ...one, body: { FullName: 'Front page' } });
    await client.PUT('/devices/{device_id}', { ...one, body: { Method: 'TCP', Options: null } });
    await client.PUT('/devices/{device_id}/start-maintenance', one);
    await client.PUT('/devices/{device_id}/start-maintenance', { ...one, body: { Duration: '00:30' } });`,
  lists: `
    const { data } = await client.GET('/devices', { params: { query: { Filter: 'Down', Limit: 100 } } });
    const names: string[] | undefined = data?.map(({ ShortName }) => ShortName);
    const { data: events } = await client.GET('/events', { params: { query: { Type: 'Down,Up' } } });
    console.log(names, events?.filter(({ Type }) => Type === 'LocationOffline').length);`,
};

const device = `Method: 'TCP', URL: 'example.org:80', ShortName: 'a'`;
const wrong: Readonly<Record<string, string>> = {
  'no body': `await client.POST('/devices', {});`,
  'no ShortName': `await client.POST('/devices', { body: { Method: 'TCP', URL: 'example.org:80' } });`,
  'a misspelt Method': `await client.POST('/devices', { body: { Method: 'TPC', URL: 'a', ShortName: 'a' } });`,
  "another Method's Options": `await client.POST('/devices', { body: { ${device}, Options: { ExpectText: 'ok' } } });`,
  'Options of two Methods': `await client.POST('/devices', { body: { ${device}, Options: { Steps: [], Count: 3 } } });`,
  'a misspelt Option': `await client.POST('/devices', { body: { ${device}, Options: { SlowMS: 3 } } });`,
  'HostData of a Method other than HTTP': `await client.POST('/devices', { body: { ${device}, HostData: { headers: {} } } });`,
  'a Frequency that is not offered': `await client.POST('/devices', { body: { ${device}, Frequency: 3 } });`,
  'an unknown field': `await client.POST('/devices', { body: { ${device}, Colour: 'red' } });`,
  'Options without their Method': `await client.PUT('/devices/{device_id}', { ...one, body: { Options: { SlowMs: 9 } } });`,
  'Options of another Method in what was read': `
    const { data } = await client.GET('/devices/{device_id}', one);
    if (data?.Method === 'TCP') console.log(data.Options.ExpectText);`,
  'a misspelt Type': `
    const { data } = await client.GET('/events');
    console.log(data?.filter(({ Type }) => Type === 'Donw'));`,
  'a Status that does not exist': `
    const { data } = await client.GET('/devices');
    console.log(data?.filter(({ Status }) => Status === 'Ok'));`,
  'a code that does not exist': `
    const { error } = await client.GET('/devices');
    console.log(error?.code === 404);`,
  'an unknown query parameter': `await client.GET('/devices', { params: { query: { limit: 5 } } });`,
  'a missing id': `await client.GET('/devices/{device_id}', {});`,
  'an answer read as text': `
    const { data } = await client.GET('/devices');
    console.log(data?.toUpperCase());`,
};

let folder: string;
let found: Readonly<Record<string, readonly string[]>>;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'openapi-types-'));
  await using rest = await startRest();
  const document = z.record(z.string(), z.json()).parse((await rest.send('GET', '/openapi.json')).json);
  await writeFile(path.join(folder, 'api.ts'), astToString(await openapiTS(JSON.stringify(document))));
  await symlink(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'));
  const options = { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, skipLibCheck: true };
  const compilerOptions = { ...options, allowImportingTsExtensions: true, types: ['node'] };
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const programs = Object.entries({ ...right, ...wrong });
  for (const [at, [, text]] of programs.entries())
    await writeFile(path.join(folder, `program-${at}.ts`), head + text);
  const output = await compile(folder);
  found = Object.fromEntries(
    programs.map(([name], at) => [
      name,
      output.split('\n').filter((line) => line.startsWith(`program-${at}.ts`)),
    ]),
  );
  expect(output.split('\n').filter((line) => /^(api|\.\.|error)/.test(line))).toEqual([]);
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The compiler's reports. */
function compile(cwd: string): Promise<string> {
  const program = path.join(repository, 'node_modules/typescript/bin/tsc');
  return new Promise((resolve) => {
    execFile(process.execPath, [program, '--pretty', 'false', '-p', cwd], { cwd }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}

it.each(Object.keys(right))('a client that %s compiles in strict mode', (name) => {
  expect(found[name]).toEqual([]);
});

it.each(Object.keys(wrong))('%s does not compile', (name) => {
  expect(found[name]?.length).toBe(1);
});
