// What is wrong with the installation itself: the doctor, `/readyz`, the page (by `GET /installation`) and the log say
// the same.
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeCertificate } from '@vantage/probes/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type Api, createApi } from '../harness/api.ts';
import { runVantage } from '../harness/run-vantage.ts';
import { type System, startSystem } from '../harness/system.ts';
import { doctor } from './programs/doctor.ts';

const soon = { timeout: 120_000, interval: 500 };
let folder: string;
let settings: { readonly VANTAGE_TLS_CERT: string; readonly VANTAGE_TLS_KEY: string };
let system: System;
let page: Api;
let outer: Api;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-findings-'));
  settings = {
    VANTAGE_TLS_CERT: path.join(folder, 'cert.pem'),
    VANTAGE_TLS_KEY: path.join(folder, 'key.pem'),
  };
  const { cert, key } = makeCertificate({ names: ['localhost'] });
  writeFileSync(settings.VANTAGE_TLS_CERT, cert);
  writeFileSync(settings.VANTAGE_TLS_KEY, key);
  system = await startSystem({ dataDir: path.join(folder, 'data'), env: settings, timeoutMs: 500_000 });
  const { base_url: baseUrl, ca_file: caFile } = system.quickstart();
  const { api_key_ua } = z
    .object({ api_key_ua: z.string() })
    .parse(JSON.parse(readFileSync(path.join(system.dataDir, 'first-run.json'), 'utf8')));
  page = createApi({ baseUrl, caFile, key: api_key_ua });
  outer = createApi({ baseUrl: new URL(baseUrl).origin, caFile });
}, 600_000);
afterAll(async () => {
  page?.close();
  outer?.close();
  await system?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const installation = z.object({
  Findings: z.array(z.object({ Id: z.string(), Severity: z.string(), Text: z.string(), Remedy: z.string() })),
});

/** Whether each of the four tells this: with this severity, in these words. */
async function tell(level: 'warning' | 'fault', words: string) {
  const examined = await doctor(system.dataDir, settings);
  const { Findings } = installation.parse(await page.ok('GET', '/installation'));
  const ready = (await outer.call('GET', '/readyz')).text.split('\n');
  const log = readFileSync(path.join(system.dataDir, 'log/controller.log'), 'utf8');
  return {
    doctor: examined.bad.some((found) => found.level === level && found.text.includes(words)),
    exit: examined.code,
    readyz: ready.some((line) => line.startsWith(`${level}: `) && line.includes(words)),
    page: Findings.some(({ Severity, Text }) => Severity === level && Text.includes(words)),
    log: log.includes(words),
  };
}
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
    expect.objectContaining({ step: 'certificate', text: expect.stringContaining('the key is not the one') }),
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
