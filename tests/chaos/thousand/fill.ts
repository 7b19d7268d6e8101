// Fills a running system with Locations, agents that have certificates of its own authority, and devices.
import { createHash, generateKeyPairSync } from 'node:crypto';
import path from 'node:path';
import { systemClock as clock, createLog, newId } from '@vantage/kernel';
import { openAuthorities } from '../../../apps/controller/src/agents/enrol/authorities.ts';
import { createDb } from '../../../apps/controller/src/platform/db/index.ts';
import { readSecretKeys } from '../../../apps/controller/src/platform/secrets/key-file.ts';
import { createSealer } from '../../../apps/controller/src/platform/secrets/seal.ts';
import { signAgent } from '../../../apps/controller/src/platform/server/authority.ts';
import { createFixtures } from '../../../apps/controller/src/testing/fixtures.ts';
import type { System } from '../../harness/system.ts';
import type { Identity } from './simulated-agent.ts';

const dayMs = 86_400_000;
const perBatch = 500;

/** Creates the rows of the agents, spread over the Locations, and signs their certificates. */
export async function fillAgents(
  system: System,
  { agents, locations }: { readonly agents: number; readonly locations: number },
): Promise<{ readonly identities: readonly Identity[]; readonly locationNames: readonly string[] }> {
  const log = createLog('fill', 'silent');
  const db = await createDb({ connection: { url: system.quickstart().database_url }, log });
  try {
    const { kysely } = db;
    const keys = await readSecretKeys(path.join(system.dataDir, 'secret.key'));
    if (keys === undefined) throw new Error('the system has no key');
    const [key, ...older] = keys;
    const sealer = createSealer(key, older);
    const { signing } = await openAuthorities({
      kysely,
      sealer,
      clock,
      log,
      dir: path.join(system.dataDir, 'tls'),
    });
    const { account_no: accountNo } = await kysely
      .selectFrom('accounts')
      .select('account_no')
      .executeTakeFirstOrThrow();
    const rows = createFixtures(kysely);
    const locationNames = Array.from({ length: locations }, (_, i) => `site ${i}`);
    const locationNos: number[] = [];
    for (const name of locationNames) locationNos.push(await rows.location(accountNo, { name }));
    const identities: Identity[] = [];
    const nowMs = Date.now();
    for (let i = 0; i < agents; i += 1) {
      const agentId = newId();
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const publicKey = pair.publicKey.export({ type: 'spki', format: 'der' });
      const cert = await signAgent(signing, { agentId, publicKey, nowMs, toMs: nowMs + 7 * dayMs });
      await rows.agent(
        { accountNo, locationNo: locationNos[i % locations] ?? 0 },
        {
          agent_id: agentId,
          name: `agent ${i}`,
          certificate: cert,
          key_hash: createHash('sha256').update(publicKey).digest(),
          certificate_end_us: (nowMs + 7 * dayMs) * 1000,
        },
      );
      identities.push({
        agentId,
        cert,
        key: String(pair.privateKey.export({ type: 'pkcs8', format: 'pem' })),
      });
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
