import { generateKeyPairSync } from 'node:crypto';
import { dayMs } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import type { NewRow } from '@vantage/storage';
import { hashPublicKey } from '@vantage/storage/secrets/credential';
import type { AgentLocation, Fixtures } from '@vantage/testing/fixtures';
import { type SigningAuthority, signAgent } from '../server/authority.ts';

/** An agent's name, with the certificate and key by which the agents' port knows it, PEM. */
export interface AgentIdentity {
  readonly agentId: string;
  readonly cert: string;
  readonly key: string;
}

/** Inserts an agent that enrolled, with a certificate of this authority. */
export async function insertEnrolledAgent(
  rows: Fixtures,
  authority: SigningAuthority,
  location: AgentLocation,
  values: Partial<NewRow<'agents'>> = {},
): Promise<{ readonly agentNo: number; readonly identity: AgentIdentity }> {
  const { identity, columns } = await issueIdentity(authority, values.agent_id);
  const { agentNo } = await rows.agent(location, { ...columns, ...values });
  return { agentNo, identity };
}

/** A key with a certificate of this authority, and the columns of an agent that enrolled with both. */
export async function issueIdentity(
  authority: SigningAuthority,
  agentId = newId(),
): Promise<{ readonly identity: AgentIdentity; readonly columns: Partial<NewRow<'agents'>> }> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const nowMs = Date.now();
  const toMs = nowMs + 7 * dayMs;
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const cert = await signAgent(authority, { agentId, publicKey: spki, nowMs, toMs });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return {
    identity: { agentId, cert, key },
    columns: {
      agent_id: agentId,
      key_hash: hashPublicKey(publicKey),
      certificate: cert,
      certificate_end_us: toMs * 1000,
    },
  };
}
