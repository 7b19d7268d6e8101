import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { programEnv } from '@vantage/kernel/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { up } from './up.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'vantage-preflight-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const start = (given: Readonly<Record<string, string>>, problems: readonly string[] = []) =>
  up({
    settings: { given: { ...given, VANTAGE_DATA: dir }, problems: [...problems] },
    env: programEnv(),
    json: false,
  });

test('the errors in the settings of all parts are reported together, and nothing is started', async () => {
  const refused = start(
    { VANTAGE_RETENTION_DAYS: 'x', VANTAGE_AGENT_CONCURRENCY: '0', VANTAGE_LOG_LEVEL: 'loud' },
    ['VANTAGE_DATTA is not a setting'],
  );
  await expect(refused).rejects.toMatchObject({
    code: 'settings',
    message: [
      'VANTAGE_DATTA is not a setting',
      'VANTAGE_RETENTION_DAYS must be days: 1 to 3650',
      'VANTAGE_LOG_LEVEL must be trace, debug, info, warn, error, fatal, silent',
      'VANTAGE_AGENT_CONCURRENCY must be a whole number from 1 to 10000',
    ].join('\n'),
  });
  expect(readdirSync(dir)).toEqual([]);
});

test('a start removes the quickstart.json that a killed start left behind, before anything else', async () => {
  writeFileSync(path.join(dir, 'quickstart.json'), '{}');
  await expect(start({ VANTAGE_RETENTION_DAYS: 'x' })).rejects.toMatchObject({ code: 'settings' });
  expect(readdirSync(dir)).toEqual([]);
});

test('a data folder that cannot be made is an error at once', async () => {
  const started = up({
    settings: { given: { VANTAGE_DATA: '/proc/vantage/data' }, problems: [] },
    env: {},
    json: false,
  });
  await expect(started).rejects.toThrow(/the data folder cannot be used: .* \(VANTAGE_DATA\)/);
});

test('both ports that are taken are reported with a remedy, before anything starts', async () => {
  const held = [createServer(), createServer()];
  const [https, agent] = await Promise.all(
    held.map(
      (server) =>
        new Promise<number>((resolve) =>
          server.listen({ port: 0, host: '127.0.0.1' }, () => {
            const address = server.address();
            resolve(address !== null && typeof address === 'object' ? address.port : 0);
          }),
        ),
    ),
  );
  const given = {
    VANTAGE_LISTEN: '127.0.0.1',
    VANTAGE_HTTPS_PORT: `${https}`,
    VANTAGE_AGENT_PORT: `${agent}`,
  };
  await expect(start(given)).rejects.toMatchObject({
    code: 'settings',
    message: [
      `port ${https} is in use by another program; end it, or choose another port with VANTAGE_HTTPS_PORT`,
      `port ${agent} is in use by another program; end it, or choose another port with VANTAGE_AGENT_PORT`,
    ].join('\n'),
  });
  expect(readdirSync(dir)).toEqual([]);
  for (const server of held) server.close();
});
