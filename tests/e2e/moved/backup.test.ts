// The commands of docs/operate.md, run as they stand there: a backup of a running system and its restore elsewhere, a
// dump of another PostgreSQL and its restore.
import { existsSync, readFileSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { createLog } from '@vantage/kernel';
import { createDb } from '@vantage/storage';
import { inDatabase } from '@vantage/testing/postgres-url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { hasPrograms, startPrimary } from '../../harness/database-servers.ts';
import { useShellHere } from '../../harness/shell-here.ts';
import { repositoryRoot, type System, startSystem } from '../../harness/system.ts';
import { dataDir, deviceId, env, folder, system } from './system.ts';

const page = readFileSync(path.join(repositoryRoot, 'docs/operate.md'), 'utf8');
/** The blocks of commands in a section. */
const blocksOf = (title: string) => {
  const [, section = ''] = page.split(`\n## ${title}\n`);
  const [text = ''] = section.split('\n## ');
  return [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].map(([, block = '']) =>
    block.replaceAll(/^ +/gm, ''),
  );
};
const [backUp = '', dump = ''] = blocksOf('Back up');
const [restore = '', loadDump = ''] = blocksOf('Restore');

const makeShell = useShellHere();
let shell: Awaited<ReturnType<typeof makeShell>>;
beforeAll(async () => {
  shell = await makeShell(folder);
});
afterAll(() => shell?.[Symbol.asyncDispose]());

/** Runs a block in the folder; the first command that fails ends it. */
async function run(block: string, settings: Readonly<Record<string, string>>) {
  const { code, stderr } = await shell.sh(block, settings);
  return { code, err: stderr };
}
const rows = z.array(z.looseObject({ check_id: z.string() }));
const soon = { timeout: 60_000, interval: 200 };

test('a backup of a running system, restored elsewhere, has every device, check and key, and agents come back', {
  timeout: 400_000,
}, async () => {
  const read = async ({ api }: System, query: string) =>
    rows.parse(await api.ok('GET', `/devices/${deviceId}/checks?Limit=100${query}`));
  const newestOf = async (one: System) => (await read(one, ''))[0];
  const secret = { Name: 'PASS', Value: 'the sealed value' };
  await system.api.ok('POST', '/secrets', secret);
  await expect.poll(async () => (await read(system, '')).length, soon).toBeGreaterThan(3);
  const there = await read(system, '');
  const [newest] = there;
  expect(await run(backUp, { VANTAGE_DATA: dataDir })).toMatchObject({ code: 0 });
  const key = system.quickstart().api_key_uw;
  await system.stop();

  const file = path.join(folder, 'vantage.backup');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file).includes('the sealed value')).toBe(false);
  const after = path.join(folder, 'after');
  expect(await run(restore, { VANTAGE_DATA: after })).toMatchObject({ code: 0 });
  const again = await run(restore, { VANTAGE_DATA: after });
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('the database is in use') });
  await using restored = await startSystem({ dataDir: after, env });
  expect(restored.quickstart().api_key_uw).toBe(key);
  const newestStored = await newestOf(restored);
  const stored = await read(restored, `&Before=${newest?.check_id}`);
  const byId = new Map(stored.map((check) => [check.check_id, check]));
  expect(byId.size).toBe(stored.length);
  // Nothing of the backup is missing, and each check is as it was. A few of these may have come while it was made.
  for (const check of there.slice(1, 80)) expect(byId.get(check.check_id)).toEqual(check);
  expect(await restored.api.ok('GET', `/checks/${newest?.check_id}`)).toMatchObject(newest ?? {});
  await expect.poll(async () => (await newestOf(restored))?.check_id, soon).not.toBe(newestStored?.check_id);
  expect(await restored.api.ok('GET', '/secrets')).toMatchObject([{ Name: 'PASS' }]);

  truncateSync(file, statSync(file).size - 10);
  const cut = await run(restore, { VANTAGE_DATA: path.join(folder, 'third') });
  expect(cut.code).toBe(1);
  expect(cut.err).toMatch(/vantage\.backup is no complete backup of Vantage/);
  expect(existsSync(path.join(folder, 'third/postgres'))).toBe(false);
});

test('a dump of another PostgreSQL, restored by its tools, has every row', async ({ skip }) => {
  skip(!hasPrograms, "PostgreSQL's programs are missing (Debian: postgresql-15)");
  const server = await startPrimary();
  try {
    const source = inDatabase(server.superuserUrl.replace('admin@', 'vantage@'), 'postgres');
    const superuser = { VANTAGE_DATABASE_URL: server.superuserUrl };
    expect(
      await run('psql "$VANTAGE_DATABASE_URL" -c \'alter role vantage createdb\'', superuser),
    ).toMatchObject({
      code: 0,
    });
    const restored = inDatabase(source, 'vantage_restored');
    const db = await createDb({ connection: { url: source }, log: createLog('backup test', 'silent') });
    await db.migrate();
    await db.close();
    // Debian's psql is Perl, which warns of a locale that this machine lacks.
    const settings = { VANTAGE_DATABASE_URL: source, RESTORED_DATABASE_URL: restored, LC_ALL: 'C' };
    const create = './vantage accounts create kept';
    expect(await run(create, settings)).toMatchObject({ code: 0 });
    expect(await run(dump, settings)).toMatchObject({ code: 0 });
    expect(await run(loadDump, settings)).toMatchObject({ code: 0, err: '' });
    const again = await run(create, { VANTAGE_DATABASE_URL: restored });
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('there is an account named kept') });
  } finally {
    await server.kill();
  }
});
