import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Ran, runVantageHere } from '../../harness/run-vantage.ts';
import { repositoryRoot } from '../../harness/system.ts';
import { system } from './system.ts';

let database: pg.Client;

const count = Number(process.env['VANTAGE_TEST_APPLIED'] ?? 300);
const soon = { timeout: 120_000, interval: 5 };

function access(): Readonly<Record<string, string>> {
  const { base_url, api_key_uw, ca_file } = system.quickstart();
  return { VANTAGE_SERVER: base_url, VANTAGE_KEY: api_key_uw, VANTAGE_CA: ca_file };
}

const fileOf = (source: string, devices: readonly object[]) => JSON.stringify({ source, devices });
const paused = (source: string) =>
  fileOf(
    source,
    Array.from({ length: count }, (_, n) => ({
      Key: `${source}-${n}`,
      Method: 'TCP',
      URL: `192.0.2.1:${1 + n}`,
      ShortName: `d${n}`,
      Enabled: false,
      Locations: [],
    })),
  );
function apply(text: string): Promise<Ran> {
  const file = path.join(system.dataDir, 'applied.json');
  writeFileSync(file, text);
  return runVantageHere(['apply', '-f', file, '--yes'], access());
}

/** Begins `apply`, and resolves when the controller has its changes in an open transaction. */
async function beginApply(
  text: string,
): Promise<{ readonly child: ChildProcess; readonly code: Promise<number | null> }> {
  const child = spawn(path.join(repositoryRoot, 'vantage'), ['apply', '-f', '-', '--yes'], {
    env: { ...process.env, ...access() },
    cwd: tmpdir(),
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const code = new Promise<number | null>((resolve) => child.once('exit', (status) => resolve(status)));
  child.stdin?.end(text);
  await vi.waitFor(async () => {
    const { rows } = await database.query(
      `select 1 from pg_stat_activity where backend_xid is not null and query like '%external_key = $2%'`,
    );
    expect(rows).not.toEqual([]);
  }, soon);
  return { child, code };
}

/** The keys of a source's devices, and how many devices the audit says were created for them. */
async function created(source: string) {
  const { rows } = await database.query<{ key: string; entries: string }>(
    `select d.external_key as key, count(a.*) as entries from devices d
     left join audit a on a.id = d.device_id and a.action = 'create' where d.source = $1 group by 1`,
    [source],
  );
  return {
    keys: new Set(rows.map(({ key }) => key)).size,
    entries: new Set(rows.map(({ entries }) => entries)),
  };
}
const once = { keys: count, entries: new Set(['1']) };

describe('apply that is interrupted', { timeout: 480_000 }, () => {
  beforeAll(async () => {
    database = new pg.Client({ connectionString: system.quickstart().database_url });
    await database.connect();
  });
  afterAll(() => database.end());

  test('is completed by the command itself when the controller is killed meanwhile; nothing is double', async () => {
    const { code } = await beginApply(paused('controller'));
    process.kill(system.quickstart().pids.controller, 'SIGKILL');
    expect(await code).toBe(0);
    expect(await created('controller')).toEqual(once);
    expect((await apply(paused('controller'))).stdout).toBe(`${count} unchanged.\n`);
  });

  test('is completed by running it again when the command is killed; nothing is double', async () => {
    const { child, code } = await beginApply(paused('command'));
    child.kill('SIGKILL');
    expect(await code).toBeNull();
    // The controller may still carry out what the killed command sent last; nothing is changed beside it.
    await vi.waitFor(async () => {
      const again = await apply(paused('command'));
      expect(again, again.stderr).toMatchObject({ code: 0 });
    }, soon);
    expect(await created('command')).toEqual(once);
    expect((await apply(paused('command'))).stdout).toBe(`${count} unchanged.\n`);
  });
});
