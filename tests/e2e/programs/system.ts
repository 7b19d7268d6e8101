import { type FakeMailServer, startFakeMailServer } from '@vantage/testing/fake-mail-server';
import { freePort } from '@vantage/testing/free-port';
import { afterAll, beforeAll } from 'vitest';
import { useOperator } from '../../harness/operator.ts';
import type { System } from '../../harness/system.ts';
import { startSystemOnDatabase } from '../../harness/system-on-database.ts';

/** The system of the tests of a file. */
export let system: System;
/** The mail server that the system's settings name. */
export let mails: FakeMailServer;
/** The address at which people reach the system through a proxy, where one runs. */
export let publicUrl: string;
/** Another address of this machine, which the controller's certificate has, so that it counts as a remote one. */
export const remoteAddress = '127.0.0.2';

const runOperator = useOperator();
/** Runs an operator's command on the system, and reads its JSON. */
export const operate = (...args: readonly string[]) => runOperator({ VANTAGE_DATA: system.dataDir }, ...args);

beforeAll(async () => {
  mails = await startFakeMailServer();
  publicUrl = `https://localhost:${await freePort()}`;
  const agentPort = String(await freePort());
  system = await startSystemOnDatabase({
    timeoutMs: 500_000,
    env: {
      VANTAGE_PUBLIC_URL: publicUrl,
      VANTAGE_AGENT_PORT: agentPort,
      VANTAGE_AGENT_URL: `https://localhost:${agentPort}`,
      VANTAGE_TLS_NAMES: remoteAddress,
      VANTAGE_TRUSTED_PROXIES: '127.0.0.1,::1',
      VANTAGE_ALLOW_PRIVATE_WEBHOOKS: 'true',
      VANTAGE_SMTP_URL: mails.url,
    },
  });
}, 600_000);
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await mails?.[Symbol.asyncDispose]();
});
