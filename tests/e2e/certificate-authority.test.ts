// The file of the certificate authority is unreadable, damaged or gone. The database holds the authority, and only a
// first start makes a new one.
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { repositoryRoot } from '../harness/system.ts';
import { controllerBytes } from './harness/attack-fixture.ts';
import { type Program, startProgram } from './harness/program.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'vantage-ca-'));
const certificate = path.join(folder, 'tls/ca.pem');
const ready = z.object({ type: z.literal('ready') });
let database: TestDatabase;

function start(): Program {
  return startProgram({
    name: 'ca',
    file: path.join(repositoryRoot, 'apps/controller/src/main.ts'),
    env: {
      VANTAGE_DATA: folder,
      VANTAGE_HTTPS_PORT: '0',
      VANTAGE_AGENT_PORT: '0',
      VANTAGE_DATABASE_URL: database.url,
    },
    limitBytes: controllerBytes,
  });
}

/** Whether the controller started, or ended by itself. */
async function fate(): Promise<'up' | 'ended'> {
  await using controller = start();
  return await new Promise<'up' | 'ended'>((resolve) => {
    controller.process.on('message', (message) => {
      if (ready.safeParse(message).success) resolve('up');
    });
    controller.process.once('exit', () => resolve('ended'));
  });
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
