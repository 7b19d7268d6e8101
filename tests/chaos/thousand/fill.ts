// Fills a running system with Locations, agents that have certificates of its own authority, and devices.
import path from 'node:path';
import { createLog } from '@vantage/kernel';
import { createDb } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import type { AgentIdentity } from '../../../apps/controller/src/testing/agent-identity.ts';
import { insertEnrolledAgent } from '../../../apps/controller/src/testing/agent-identity.ts';
import type { System } from '../../harness/system.ts';
import { systemAuthority } from '../../harness/system-authority.ts';

const perBatch = 500;

/** Creates the rows of the agents, spread over the Locations, and signs their certificates. */
export async function fillAgents(
  system: System,
  { agents, locations }: { readonly agents: number; readonly locations: number },
): Promise<{ readonly identities: readonly AgentIdentity[]; readonly locationNames: readonly string[] }> {
  const log = createLog('fill', 'silent');
  const db = await createDb({ connection: { url: system.quickstart().database_url }, log });
  try {
    const { kysely } = db;
    const authority = await systemAuthority(kysely, path.join(system.dataDir, 'secret.key'));
    const { account_no: accountNo } = await kysely
      .selectFrom('accounts')
      .select('account_no')
      .executeTakeFirstOrThrow();
    const rows = createFixtures(kysely);
    const locationNames = Array.from({ length: locations }, (_, i) => `site ${i}`);
    const locationNos: number[] = [];
    for (const name of locationNames) locationNos.push(await rows.location(accountNo, { name }));
    const identities: AgentIdentity[] = [];
    for (let i = 0; i < agents; i += 1) {
      const location = { accountNo, locationNo: locationNos[i % locations] ?? 0 };
      identities.push(
        (await insertEnrolledAgent(rows, authority, location, { name: `agent ${i}` })).identity,
      );
    }
    return { identities, locationNames };
  } finally {
    await db.close();
  }
}

/** Creates devices that are due once a minute, as many at each Location, by the API. */
export async function fillDevices(
  { api }: System,
  { devices, locationNames }: { readonly devices: number; readonly locationNames: readonly string[] },
): Promise<void> {
  const body = (n: number) => ({
    Method: 'TCP',
    URL: `192.0.2.1:${1 + (n % 60_000)}`,
    ShortName: `d${n}`,
    Frequency: 1,
    Timeout: 5,
    Locations: [locationNames[n % locationNames.length]],
  });
  for (let from = 0; from < devices; from += perBatch)
    await api.ok('POST', '/batch', {
      Operations: Array.from({ length: Math.min(perBatch, devices - from) }, (_, i) => ({
        Method: 'POST',
        Path: '/devices',
        Body: body(from + i),
      })),
    });
}
