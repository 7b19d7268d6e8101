// The commands of docs/operate.md, run as they stand there: a backup of a running system and its restore elsewhere, a
// dump of another PostgreSQL and its restore.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLog } from '@vantage/kernel';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createDb } from '../../apps/controller/src/platform/db/index.ts';
import { hasPrograms, startPrimary } from '../harness/database-servers.ts';
import { addDevices } from '../harness/more-devices.ts';
import { inDatabase } from '../harness/postgres-url.ts';
import { repositoryRoot, startSystem } from '../harness/system.ts';
import { startTarget } from '../harness/target.ts';

/** Devices with a result a second each while the backup is made; VANTAGE_TEST_BESIDE=500 tries more. */
const beside = Number(process.env['VANTAGE_TEST_BESIDE'] ?? 5);

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

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-backup-'));
  symlinkSync(path.join(repositoryRoot, 'vantage'), path.join(folder, 'vantage'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a block in the folder; the first command that fails ends it. */
function run(block: string, settings: Readonly<Record<string, string>>) {
  const env = { PATH: process.env['PATH'], ...settings };
  return new Promise<{ code: number; err: string }>((resolve) =>
    execFile('sh', ['-ec', block], { cwd: folder, env }, (error, _out, err) =>
      resolve({ code: error ? Number(error.code) : 0, err }),
    ),
  );
}
const created = z.object({ device_id: z.string() });
const soon = { timeout: 60_000, interval: 200 };

test('a backup of a running system, restored elsewhere, has every device, check and key, and agents come back', async () => {
  await using target = await startTarget();
  const env = { NODE_ENV: 'test', VANTAGE_TEST_TIME_SCALE: '60' };
  const before = path.join(folder, 'before');
  const system = await startSystem({ dataDir: before, env });
  const device = { ShortName: 'one', Method: 'TCP', URL: `tcp://127.0.0.1:${target.port}`, Frequency: 1 };
  const { device_id } = created.parse(await system.api.ok('POST', '/devices', device));
  const at = `/devices/${device_id}/checks?Limit=1000`;
  const rows = z.array(z.looseObject({ check_id: z.string() }));
  const secret = { Name: 'PASS', Value: 'the sealed value' };
  await system.api.ok('POST', '/secrets', secret);
  await addDevices(system, beside, target.port);
  await expect.poll(async () => rows.parse(await system.api.ok('GET', at)).length, soon).toBeGreaterThan(3);
  const there = rows.parse(await system.api.ok('GET', at));
  expect(await run(backUp, { VANTAGE_DATA: before })).toMatchObject({ code: 0 });
  const key = system.quickstart().api_key_uw;
  await system[Symbol.asyncDispose]();

  const file = path.join(folder, 'vantage.backup');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file).includes('the sealed value')).toBe(false);
  const after = path.join(folder, 'after');
  expect(await run(restore, { VANTAGE_DATA: after })).toMatchObject({ code: 0 });
  const again = await run(restore, { VANTAGE_DATA: after });
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('the database is in use') });
  await using restored = await startSystem({ dataDir: after, env });
  expect(restored.quickstart().api_key_uw).toBe(key);
  const stored = rows.parse(await restored.api.ok('GET', at));
  const ids = stored.map(({ check_id }) => check_id);
  expect(new Set(ids).size).toBe(ids.length);
  // Nothing of the backup is missing, and each check is as it was.
  for (const check of there) expect(stored).toContainEqual(check);
  await expect
    .poll(async () => rows.parse(await restored.api.ok('GET', at)).length, soon)
    .toBeGreaterThan(stored.length);
  expect(await restored.api.ok('GET', '/secrets')).toMatchObject([{ Name: 'PASS' }]);

  truncateSync(file, statSync(file).size - 10);
  const cut = await run(restore, { VANTAGE_DATA: path.join(folder, 'third') });
  expect(cut.code).toBe(1);
  expect(cut.err).toMatch(/vantage\.backup is no whole backup of Vantage/);
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
    const settings = { VANTAGE_DATABASE_URL: source, RESTORED_DATABASE_URL: restored };
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
