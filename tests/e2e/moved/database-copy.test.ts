// "vantage database copy" on a running system: from the embedded database to another one and back, killed and repeated.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { programEnv } from '@vantage/kernel/testing';
import { createEmptyDatabase } from '@vantage/testing/database';
import { withClient } from '@vantage/testing/postgres-url';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { repositoryRoot } from '../../harness/system.ts';
import { whoTells } from '../told-findings.ts';
import { dataDir, deviceId, env, folder, system } from './system.ts';

const soon = { timeout: 60_000, interval: 200 };
/** Rows that the copy has to carry besides those that come in; VANTAGE_TEST_COPIED=1000000 tries more. */
const oldChecks = Number(process.env['VANTAGE_TEST_COPIED'] ?? 10_000);

const answerSchema = z.object({
  rows: z.int(),
  rounds: z.int(),
  heldMs: z.int(),
  backMs: z.int().nullable(),
});

/** Starts the command. `killAt`: kills it and its program once its output has this text. */
function copy(from: string, to: string, killAt?: string) {
  const child = spawn(path.join(repositoryRoot, 'vantage'), ['database', 'copy', from, to, '--json'], {
    env: { ...programEnv(), VANTAGE_DATA: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
    if (killAt !== undefined && err.includes(killAt)) killGroup(child);
  });
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, out, err })),
  );
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

const rowsSchema = z.array(z.looseObject({ check_id: z.string() }));

/** Checks of days before, put into the tables directly. */
async function fill(url: string): Promise<void> {
  await withClient(url, (client) =>
    client.query(
      `insert into check_rows (device_no, start_us, agent_no, location_no, end_us, arrived_us, revision, attempt, code, perf)
       select d.device_no, (extract(epoch from now() - interval '2 days') * 1e6)::bigint + n * 100000::bigint, 1, 1,
         (extract(epoch from now() - interval '2 days') * 1e6)::bigint + n * 100000::bigint + 5000,
         (extract(epoch from now() - interval '2 days') * 1e6)::bigint + n * 100000::bigint + 9000, 1, 1, 1, 5
       from generate_series(1, ${oldChecks}) n, (select device_no from devices limit 1) d`,
    ),
  );
}

async function checksOf() {
  return rowsSchema.parse(await system.api.ok('GET', `/devices/${deviceId}/checks`));
}

/** The checks as soon as they are answered: while a copy is made, a busy machine answers 503 for a moment. */
const checksSoon = () => vi.waitFor(checksOf, soon);

/** Every check that the API showed before is there once, and new ones come in. */
async function expectToGoOn(before: z.output<typeof rowsSchema>): Promise<void> {
  const at = before[0]?.['Timestamp'];
  await expect.poll(async () => (await checksOf().catch(() => []))[0]?.['Timestamp'] !== at, soon).toBe(true);
  const now = await checksOf();
  const ids = now.map(({ check_id }) => check_id);
  expect(new Set(ids).size).toBe(ids.length);
  // A page has the newest ones only.
  const last = String(now.at(-1)?.['Timestamp']);
  for (const check of before) if (String(check['Timestamp']) > last) expect(now).toContainEqual(check);
}

const countOf = (url: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ n: number }>('select count(*)::int as n from check_rows');
    return rows[0]?.n ?? 0;
  });

test('a running system goes over to another database and back; killed copies leave it where it is', {
  timeout: 400_000 + oldChecks,
}, async () => {
  await using other = await createEmptyDatabase();
  await expect.poll(async () => (await checksOf()).length, soon).toBeGreaterThan(3);
  const embeddedUrl = system.quickstart().database_url;
  await fill(embeddedUrl);
  const urlFile = path.join(folder, 'url');
  writeFileSync(urlFile, `${other.url}\n`, { mode: 0o600 });

  for (const killAt of [
    'changes are recorded',
    'tables are copied',
    'round 1',
    'compared',
    'the copy is complete',
  ]) {
    const killed = await copy('embedded', `@${urlFile}`, killAt);
    expect(killed).toMatchObject({ code: null, err: expect.stringContaining(killAt) });
    if (killAt === 'the copy is complete') continue;
    // The system goes on with its database, and a copy that is not whole is refused.
    const before = await checksSoon();
    await expectToGoOn(before);
    expect(system.quickstart().database_url).toBe(embeddedUrl);
  }
  const before = await checksSoon();
  const there = await copy('embedded', `@${urlFile}`);
  expect(there.code, there.err).toBe(0);
  expect(answerSchema.parse(JSON.parse(there.out)).rows).not.toBeNull();
  await expect.poll(() => system.quickstart().database_url, soon).toBe(other.url);
  await expectToGoOn(before);
  expect(await countOf(other.url)).toBeGreaterThan(oldChecks);
  expect(readFileSync(path.join(dataDir, 'log/controller.log'), 'utf8')).toContain(
    'the database was copied to',
  );
  const words = 'the database of the settings was copied to another one';
  const all = { doctor: true, readyz: true, page: true, log: true };
  await vi.waitFor(async () => {
    expect(await whoTells(system, { level: 'warning', words }, env)).toMatchObject(all);
  }, soon);

  // And back: the embedded database that was given up is put aside.
  const back = await copy(`@${urlFile}`, 'embedded');
  expect(back.code, back.err).toBe(0);
  expect(back.err).toContain('given-up');
  const report = answerSchema.parse(JSON.parse(back.out));
  expect(report.rows).toBeGreaterThan(oldChecks);
  expect(report.backMs).not.toBeNull();
  await expect
    .poll(() => decodeURIComponent(system.quickstart().database_url), soon)
    .toContain(path.join(dataDir, 'postgres'));
  await expectToGoOn(before);
  expect(existsSync(path.join(dataDir, 'database-moved.json'))).toBe(false);

  const again = await copy(`@${urlFile}`, 'embedded');
  expect(again.code, again.err).toBe(0);
  const elsewhere = await copy('embedded', `@${urlFile}`);
  expect(elsewhere).toMatchObject({ code: 1, err: expect.stringContaining('was replaced by') });
});
