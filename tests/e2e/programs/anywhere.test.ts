import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withClient } from '@vantage/testing/postgres-url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type Ran, runVantageHere } from '../../harness/run-vantage.ts';
import { repositoryRoot } from '../../harness/system.ts';
import { startTarget, type Target } from '../../harness/target.ts';
import { system } from './system.ts';

let target: Target;
beforeAll(async () => {
  target = await startTarget();
});
afterAll(() => target?.[Symbol.asyncDispose]());

function access(): Readonly<Record<string, string>> {
  const { base_url, api_key_uw, ca_file } = system.quickstart();
  return { VANTAGE_SERVER: base_url, VANTAGE_KEY: api_key_uw, VANTAGE_CA: ca_file };
}

/** Runs a command against the controller as from another machine. */
const run = (...args: readonly string[]): Promise<Ran> => runVantageHere(args, access());
const made = z.object({ device_id: z.string() });

describe('the command line from anywhere', { timeout: 240_000 }, () => {
  test('devices are created, listed, shown, changed and deleted by the names of the API', async () => {
    const create = ['Method=PING', 'URL=192.0.2.7', 'ShortName=gw-7', 'Options.Count=2', '--json'];
    const created = await run('devices', 'create', ...create);
    expect(created).toMatchObject({ code: 0, stderr: '' });
    const { device_id } = made.parse(JSON.parse(created.stdout));
    const table = await run('devices', 'list', 'Method=PING');
    expect(table.stdout).toMatch(/^Status +ShortName +FullName/);
    expect(table.stdout).toContain('gw-7');
    expect((await run('devices', 'list', '-o', 'csv')).stdout).toContain('gw-7');
    expect(JSON.parse((await run('devices', 'list', 'Search=gw-7', '--jsonl')).stdout)).toMatchObject({
      ShortName: 'gw-7',
    });
    expect(await run('devices', 'update', 'GW-7', 'Frequency=1', 'FullName=Gateway')).toMatchObject({
      code: 0,
    });
    const shown = await run('devices', 'get', 'gw-7', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ device_id, Frequency: 1, Options: { Count: 2 } });
    const refused = await run('devices', 'update', device_id, 'Frequency=7', 'Timeout=x');
    expect(refused.code).toBe(1);
    expect(refused.stderr.match(/Frequency must be/g)).toHaveLength(1);
    expect(refused.stderr.match(/Timeout must be/g)).toHaveLength(1);
    expect(await run('devices', 'list', 'Status=Unknown', 'Search=gw-7', '--jsonl')).toMatchObject({
      code: 0,
    });
    await run('devices', 'create', 'Method=PING', 'URL=192.0.2.8', 'ShortName=gw-7');
    const ambiguous = await run('devices', 'delete', 'gw-7');
    expect(ambiguous.code).toBe(1);
    expect(ambiguous.stderr).toContain('gw-7 is the ShortName of 2 devices; write the id of one of them');
    expect(await run('devices', 'delete', device_id)).toMatchObject({ code: 0 });
    expect(await run('devices', 'delete', 'gw-7')).toMatchObject({ code: 0 });
    expect((await run('devices', 'get', 'gw-7')).stderr).toContain(
      'no device has the id, ExternalKey or ShortName',
    );
    expect((await run('devices', 'create', 'Method')).stderr).toContain('is not Name=value');
  });

  test('check, maintenance and ack do what they say; top shows who needs somebody', async () => {
    const body = {
      Method: 'TCP',
      URL: `127.0.0.1:${target.port}`,
      ShortName: 'web',
      ExternalKey: 'shop/web',
    };
    const { device_id } = made.parse(await system.api.ok('POST', '/devices', body));
    const good = await run('check', 'shop/web');
    expect(good).toMatchObject({ code: 0 });
    expect(await run('maintenance', 'start', 'web', '2h', '--reason', 'patches')).toMatchObject({ code: 0 });
    expect(await system.api.ok('GET', `/devices/${device_id}`)).toMatchObject({ Status: 'Maint' });
    expect(await run('maintenance', 'stop', 'web')).toMatchObject({ code: 0 });
    expect((await run('maintenance', 'start', 'web', 'tomorrow')).stderr).toContain(
      'accepted are for example 30m',
    );
    await system.api.ok('PUT', `/devices/${device_id}`, { URL: '127.0.0.1:9', Attempts: 1 });
    expect((await run('check', 'web')).code).toBe(1);
    await vi.waitFor(async () => expect((await run('top')).stdout).toMatch(/Down [1-9][\s\S]*\nDown +web /), {
      timeout: 60_000,
      interval: 1_000,
    });
    await vi.waitFor(
      async () => expect(await run('ack', 'web', '--note', 'mine')).toMatchObject({ code: 0 }),
      30_000,
    );
    const alerts = z
      .array(z.looseObject({}))
      .parse(await system.api.ok('GET', `/alerts?Device=${device_id}`));
    expect(alerts).toMatchObject([{ State: 'Acknowledged', Acknowledged: { Note: 'mine' } }]);
    expect((await run('ack', 'web')).stderr).toContain('web has no open alert');
  });

  test('Locations, contacts, alerts, checks, uptime and outages are read and changed, too', async () => {
    expect(await run('locations', 'create', 'Name=Oslo', 'ExternalKey=oslo')).toMatchObject({ code: 0 });
    expect((await run('locations', 'list')).stdout).toMatch(/^Name +Online[\s\S]*\nOslo +false/m);
    await run('locations', 'update', 'oslo', 'Name=Oslo-2');
    expect(JSON.parse((await run('locations', 'get', 'Oslo-2', '--json')).stdout)).toMatchObject({
      ExternalKey: 'oslo',
    });
    expect(await run('locations', 'delete', 'Oslo-2')).toMatchObject({ code: 0 });
    const address = 'Address=ops@example.org';
    expect(await run('contacts', 'create', 'Name=Ops', 'Type=email', address)).toMatchObject({ code: 0 });
    expect((await run('contacts', 'list', '-o', 'csv')).stdout).toContain('ops@example.org');
    expect(await run('contacts', 'delete', 'Ops')).toMatchObject({ code: 0 });
    const body = { Method: 'TCP', URL: `127.0.0.1:${target.port}`, ShortName: 'read', Attempts: 1 };
    await system.api.ok('POST', '/devices', body);
    const checked = z.object({ check_id: z.string() });
    const { check_id } = checked.parse(JSON.parse((await run('check', 'read', '--json')).stdout));
    const checks = await run('checks', 'list', 'read', 'ResultCode=1', '--jsonl');
    expect(
      checks.stdout
        .trim()
        .split('\n')
        .map((line) => checked.parse(JSON.parse(line)).check_id),
    ).toContain(check_id);
    expect(JSON.parse((await run('checks', 'get', check_id, '--json')).stdout)).toMatchObject({ check_id });
    expect((await run('uptime', 'list')).stdout).toContain('read');
    expect((await run('uptime', 'get', 'read')).stdout).toContain('UpSeconds');
    await run('devices', 'update', 'read', 'URL=127.0.0.1:9');
    await run('check', 'read');
    const row = z.looseObject({
      ShortName: z.string().nullable(),
      outage_id: z.string().optional(),
      alert_id: z.string().optional(),
    });
    const rowOf = async (kind: string) => {
      const { stdout } = await run(kind, 'list', '--json');
      const found = z
        .array(row)
        .parse(JSON.parse(stdout))
        .find(({ ShortName }) => ShortName === 'read');
      return row.parse(found);
    };
    await vi.waitFor(() => rowOf('alerts'), { timeout: 60_000, interval: 500 });
    const { alert_id = '' } = await rowOf('alerts');
    expect(JSON.parse((await run('alerts', 'get', alert_id, '--json')).stdout)).toMatchObject({ alert_id });
    const { outage_id = '' } = await rowOf('outages');
    expect(await run('outages', 'update', outage_id, 'Note=a test')).toMatchObject({ code: 0 });
    expect((await run('outages', 'get', outage_id)).stdout).toContain('a test');
    expect((await run('events', 'Type=Created', '-o', 'csv')).stdout).toContain('read was created');
    expect(await run('events', '--follow', '-o', 'csv')).toMatchObject({ code: 2 });
    expect(await run('alerts', 'get', 'nothing')).toMatchObject({ code: 1 });
  });

  test('the CSV of a list has all of its pages and one header', async () => {
    const Operations = Array.from({ length: 230 }, (_, n) => ({
      Method: 'POST',
      Path: '/devices',
      Body: { Method: 'PING', URL: `192.0.2.${n}`, ShortName: `csv${n}`, Enabled: false, Locations: [] },
    }));
    await system.api.ok('POST', '/batch', { Atomic: true, Operations });
    const lines = (await run('devices', 'list', 'Search=csv', '-o', 'csv')).stdout.trim().split('\r\n');
    expect(lines).toHaveLength(231);
    expect(new Set(lines).size).toBe(231);
    expect(lines.filter((line) => line.includes('device_id'))).toHaveLength(1);
  });

  test('events are followed until the command is ended', async () => {
    const child = spawn(
      path.join(repositoryRoot, 'vantage'),
      ['events', '--follow', '--limit', '1', '--json'],
      {
        env: { ...process.env, ...access() },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    await vi.waitFor(() => expect(text).toContain('event_id'), 60_000);
    const body = { Method: 'TCP', URL: '127.0.0.1:9', ShortName: 'followed', Enabled: false };
    await system.api.ok('POST', '/devices', body);
    await vi.waitFor(() => expect(text).toContain('"followed"'), 60_000);
    for (const line of text.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('Timestamp');
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  });

  test('without a controller, or with one that does not answer, it is said what to do', async () => {
    const nowhere = { VANTAGE_DATA: tmpdir(), XDG_CONFIG_HOME: tmpdir() };
    const none = await runVantageHere(['devices', 'list'], nowhere);
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('the address of the controller is missing; give --server');
    const closed = await runVantageHere(
      ['devices', 'list', '--server', 'https://127.0.0.1:9', '--key', 'x'],
      nowhere,
    );
    expect(closed.code).toBe(1);
    expect(closed.stderr).toContain('https://127.0.0.1:9 cannot be reached: connect ECONNREFUSED');
    const wrong = await runVantageHere(['devices', 'list', '--server', 'ftp://x', '--key', 'x'], nowhere);
    expect(wrong).toMatchObject({ code: 2 });
  });

  test('the audit is exported in pieces as one chain, which names a changed line; settled entries only', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'vantage-audit-'));
    const file = path.join(folder, 'audit.jsonl');
    const exported = z.object({ added: z.int(), entries: z.int(), hash: z.string() });
    const exportTo = async () => {
      const { code, stdout, stderr } = await run('audit', 'export', file, '--json');
      expect(code, stderr).toBe(0);
      return exported.parse(JSON.parse(stdout));
    };
    /** The changes so far are of two minutes before; their order stays. */
    const settle = () =>
      withClient(system.quickstart().database_url, (client) =>
        client.query('update audit set at_us = at_us - 120000000'),
      );
    try {
      for (let number = 0; number < 110; number += 10) await run('tags', 'create', `Name=audited-${number}`);
      await settle();
      const first = await exportTo();
      expect(first.added).toBeGreaterThan(10);
      expect(await exportTo()).toEqual({ ...first, added: 0 });
      await run('tags', 'create', 'Name=audited-last');
      expect(await exportTo()).toMatchObject({ added: 0 });
      await settle();
      expect(await exportTo()).toMatchObject({ added: 1, entries: first.entries + 1 });
      const whole = path.join(folder, 'again.jsonl');
      await run('audit', 'export', whole);
      const text = readFileSync(file, 'utf8');
      expect(text.replace(/"Timestamp":"[^"]*"|"Hash":"[^"]*"/g, '')).toBe(
        readFileSync(whole, 'utf8').replace(/"Timestamp":"[^"]*"|"Hash":"[^"]*"/g, ''),
      );
      expect(await run('audit', 'verify', file)).toMatchObject({ code: 0 });
      writeFileSync(file, text.replace('audited-50', 'audited-51'));
      const broken = await run('audit', 'verify', file);
      expect(broken.code).toBe(1);
      expect(broken.stderr).toMatch(/line \d+ does not continue the lines before it/);
      expect((await run('audit', 'export', file)).stderr).toContain('does not continue');
      await withClient(system.quickstart().database_url, (client) =>
        client.query('delete from audit where audit_no = (select max(audit_no) from audit)'),
      );
      writeFileSync(file, text);
      expect((await run('audit', 'export', file)).stderr).toContain('the database was restored');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
