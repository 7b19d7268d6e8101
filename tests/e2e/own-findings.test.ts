// What is wrong with the installation itself: the doctor, `/readyz`, the page (by `GET /installation`) and the log say
// the same.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeCertificate } from '@vantage/probes/testing';
import { freePort } from '@vantage/testing/free-port';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type Api, createApi } from '../harness/api.ts';
import { runVantage } from '../harness/run-vantage.ts';
import { type System, startSystem } from '../harness/system.ts';
import { doctor } from './programs/run-doctor.ts';
import { whoTells } from './told-findings.ts';

const soon = { timeout: 120_000, interval: 500 };
/** A contact fails for two minutes before it is a finding. The pauses between its messages grow. */
const patient = { timeout: 600_000, interval: 2_000 };
let folder: string;
let settings: {
  readonly VANTAGE_TLS_CERT: string;
  readonly VANTAGE_TLS_KEY: string;
  readonly VANTAGE_ALLOW_PRIVATE_WEBHOOKS: string;
};
let system: System;
let page: Api;
let outer: Api;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-findings-'));
  settings = {
    VANTAGE_TLS_CERT: path.join(folder, 'cert.pem'),
    VANTAGE_TLS_KEY: path.join(folder, 'key.pem'),
    VANTAGE_ALLOW_PRIVATE_WEBHOOKS: 'true',
  };
  const { cert, key } = makeCertificate({ names: ['localhost'] });
  writeFileSync(settings.VANTAGE_TLS_CERT, cert);
  writeFileSync(settings.VANTAGE_TLS_KEY, key);
  await start();
}, 600_000);
/** Starts the system on its data folder. */
async function start(): Promise<void> {
  system = await startSystem({ dataDir: path.join(folder, 'data'), env: settings, timeoutMs: 500_000 });
  const { base_url: baseUrl, ca_file: caFile } = system.quickstart();
  const { api_key_ua } = z
    .object({ api_key_ua: z.string() })
    .parse(JSON.parse(readFileSync(path.join(system.dataDir, 'first-run.json'), 'utf8')));
  page?.close();
  outer?.close();
  page = createApi({ baseUrl, caFile, key: api_key_ua });
  outer = createApi({ baseUrl: new URL(baseUrl).origin, caFile });
}
afterAll(async () => {
  page?.close();
  outer?.close();
  await system?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const tell = (level: 'warning' | 'fault', words: string) => whoTells(system, { level, words }, settings);
const all = { doctor: true, readyz: true, page: true, log: true };
const none = { doctor: false, readyz: false, page: false };

test('an installation without a backup says so, until there is one that was verified', {
  timeout: 400_000,
}, async () => {
  const words = 'no backup was ever made';
  await vi.waitFor(async () => expect(await tell('warning', words)).toEqual({ ...all, exit: 0 }), soon);
  const made = await runVantage(['backup', path.join(folder, 'backup'), '--verify'], {
    env: { ...process.env, VANTAGE_DATA: system.dataDir },
  });
  expect(made).toMatchObject({ code: 0 });
  await vi.waitFor(async () => expect(await tell('warning', words)).toMatchObject(none), soon);
});

test('new files of the certificate that do not belong together are a fault everywhere', {
  timeout: 400_000,
}, async () => {
  const right = readFileSync(settings.VANTAGE_TLS_KEY);
  writeFileSync(settings.VANTAGE_TLS_KEY, makeCertificate({ names: ['localhost'] }).key);
  const told = async () => {
    const { log, ...others } = await tell('fault', 'VANTAGE_TLS_KEY');
    return { ...others, log };
  };
  await vi.waitFor(async () => expect(await told()).toEqual({ ...all, exit: 1 }), soon);
  expect((await doctor(system.dataDir, settings)).bad).toContainEqual(
    expect.objectContaining({
      step: 'certificate',
      text: expect.stringContaining('the key does not belong'),
    }),
  );
  expect(await page.ok('GET', '/installation')).toMatchObject({
    Findings: expect.arrayContaining([expect.objectContaining({ Id: 'certificate_refused' })]),
  });
  writeFileSync(settings.VANTAGE_TLS_KEY, right);
  await vi.waitFor(async () => expect(await told()).toMatchObject({ ...none, exit: 0 }), soon);
});

test('a key file that vanished is a fault everywhere, before the next start is refused', {
  timeout: 400_000,
}, async () => {
  const file = path.join(system.dataDir, 'secret.key');
  renameSync(file, `${file}.away`);
  const words = 'the key file is missing';
  await vi.waitFor(async () => expect(await tell('fault', words)).toEqual({ ...all, exit: 1 }), soon);
  expect((await doctor(system.dataDir, settings)).bad).toContainEqual(
    expect.objectContaining({ step: 'key file', text: `${file} is missing` }),
  );
  renameSync(`${file}.away`, file);
  await vi.waitFor(async () => expect(await tell('fault', words)).toMatchObject(none), soon);
});

test('a database that hangs is a fault of the doctor, and the controller is not ready', {
  timeout: 400_000,
}, async () => {
  const pids = databaseProcesses();
  expect(pids.length).toBeGreaterThan(3);
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  try {
    // An answer of a moment before counts for a second.
    await vi.waitFor(async () => expect((await outer.call('GET', '/readyz')).status).toBe(503), soon);
    const hung = await doctor(system.dataDir, settings);
    expect(hung.code).toBe(1);
    expect(hung.bad).toContainEqual(
      expect.objectContaining({
        level: 'fault',
        step: 'readiness',
        text: 'not ready: The database does not answer.',
      }),
    );
    expect(hung.bad).toContainEqual(expect.objectContaining({ level: 'fault', step: 'agents' }));
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  }
  await vi.waitFor(
    async () => expect(await doctor(system.dataDir, settings)).toMatchObject({ code: 0 }),
    soon,
  );
});

test('a contact that cannot be reached is a fault everywhere, until it is reached', {
  timeout: 1_300_000,
}, async () => {
  const words = 'a contact cannot be reached';
  const port = await freePort();
  const Secret = `whsec_${randomBytes(32).toString('base64')}`;
  const webhook = { Name: 'on call', Type: 'webhook', Address: `http://127.0.0.1:${port}/`, Secret };
  const { contact_id: contact } = z
    .object({ contact_id: z.string() })
    .parse(await page.ok('POST', '/contacts', webhook));
  const Steps = [{ DelayMinutes: 0, Contacts: [contact] }];
  const { nschedule_id: schedule } = z
    .object({ nschedule_id: z.string() })
    .parse(await page.ok('POST', '/nschedules', { Name: 'on call', Steps }));
  const device = {
    ShortName: 'closed',
    Method: 'TCP',
    URL: `tcp://127.0.0.1:${port}`,
    Frequency: 1,
    RetryDelay: 1,
  };
  await page.ok('POST', '/devices', { ...device, nschedule_id: schedule });
  await vi.waitFor(async () => expect(await tell('fault', words)).toEqual({ ...all, exit: 1 }), patient);
  const receiver = createServer((_, response) => void response.writeHead(204).end());
  receiver.listen(port, '127.0.0.1');
  try {
    await vi.waitFor(async () => expect(await tell('fault', words)).toMatchObject(none), patient);
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
});

test('a database that went back to an earlier state is a warning everywhere', {
  timeout: 900_000,
}, async () => {
  const cluster = path.join(system.dataDir, 'postgres/cluster');
  const earlier = path.join(folder, 'earlier');
  await system[Symbol.asyncDispose]();
  copy(cluster, earlier);
  await start();
  await page.ok('POST', '/tags', { Name: 'stored after the copy' });
  await system[Symbol.asyncDispose]();
  rmSync(cluster, { recursive: true });
  renameSync(earlier, cluster);
  await start();
  expect(JSON.stringify(await page.ok('GET', '/tags'))).not.toContain('stored after the copy');
  const words = 'the database went back';
  await vi.waitFor(async () => expect(await tell('warning', words)).toMatchObject(all), soon);
});

/** Copies a folder with the owners of its files: the embedded PostgreSQL may run as another user. */
function copy(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}

/** The embedded PostgreSQL's server and its children. */
function databaseProcesses(): readonly number[] {
  const file = path.join(system.dataDir, 'postgres/cluster/postmaster.pid');
  const server = Number(readFileSync(file, 'utf8').split('\n')[0]);
  const parentOf = (pid: number) => {
    try {
      return Number(/\) . (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
    } catch {
      return undefined; // it has ended
    }
  };
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === server);
  return [server, ...children];
}
