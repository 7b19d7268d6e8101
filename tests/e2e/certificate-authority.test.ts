// The file of the certificate authority is unreadable, damaged or gone. The database holds the authority, and only a
// first start makes a new one.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { programEnv } from '@vantage/kernel/testing';
import { createTestDatabase, type TestDatabase } from '@vantage/testing/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { repositoryRoot } from '../harness/system.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'vantage-ca-'));
const certificate = path.join(folder, 'tls/ca.pem');
const ready = z.object({ type: z.literal('ready') });
let database: TestDatabase;

/** Starts a controller on the folder, and ends it when it is up. Says whether it was, or ended by itself. */
async function fate(): Promise<'up' | 'ended'> {
  const child = spawn(process.execPath, [path.join(repositoryRoot, 'apps/controller/src/main.ts')], {
    env: {
      ...programEnv(),
      VANTAGE_DATA: folder,
      VANTAGE_HTTPS_PORT: '0',
      VANTAGE_AGENT_PORT: '0',
      VANTAGE_DATABASE_URL: database.url,
    },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = new Promise<'ended'>((resolve) => child.once('exit', () => resolve('ended')));
  const up = new Promise<'up'>((resolve) => {
    child.on('message', (message) => {
      if (ready.safeParse(message).success) resolve('up');
    });
  });
  const outcome = await Promise.race([up, ended]);
  child.kill('SIGTERM');
  await ended;
  return outcome;
}

beforeAll(async () => {
  database = await createTestDatabase();
  expect(await fate()).toBe('up');
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const damages: [what: string, fate: 'up' | 'ended', damage: () => void][] = [
  [
    'the certificate is truncated',
    'up',
    () => writeFileSync(certificate, readFileSync(certificate).subarray(0, 100)),
  ],
  ['the certificate is gone', 'up', () => rmSync(certificate)],
  [
    'the certificate cannot be read',
    'ended',
    () => {
      renameSync(certificate, `${certificate}.aside`);
      mkdirSync(certificate);
    },
  ],
  ['the certificate is empty', 'up', () => writeFileSync(certificate, '')],
];

test.each(damages)('the controller makes no new authority where %s', async (_, expected, damage) => {
  const before = readFileSync(certificate, 'utf8');
  damage();
  expect(await fate()).toBe(expected);
  if (expected === 'ended') {
    rmSync(certificate, { recursive: true, force: true });
    expect(await fate()).toBe('up');
  }
  expect(readFileSync(certificate, 'utf8')).toBe(before);
});
