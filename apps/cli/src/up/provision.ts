import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { Fault, messageOf, newId, readIfPresentSync } from '@vantage/kernel';
import { z } from 'zod';
import { inviteAgent, revokeAgent } from '../agents.ts';
import { hashOf } from '../credentials.ts';
import { inTransaction, type Sql } from '../database.ts';
import { issueKey } from '../keys.ts';
import { writeWhole } from './write-whole.ts';

const kept = z.object({ api_key_uw: z.string(), api_key_ur: z.string(), agent_token: z.string() });

/** What a system on this machine is entered with. */
export type Credentials = z.infer<typeof kept>;

/** The file of the data folder that keeps them. */
export const credentialsFile = 'first-run.json';

/** Credentials, and whether their keys were issued just now. */
export interface Provision extends Credentials {
  readonly isFresh: boolean;
}

const account = 'default';
const location = 'local';

/**
 * Sees to it that there is an account `default` with a Location `local`, keys UW and UR and an agent, and that what the data folder
 * remembers of them (the database knows only hashes) is in force. A key or token that was revoked is replaced, and so is an agent whose
 * folder is gone.
 */
export async function provision(dataDir: string, databaseUrl: string): Promise<Provision> {
  const file = path.join(dataDir, credentialsFile);
  const before = remembered(file);
  const credentials = await inTransaction(databaseUrl, async (sql) => {
    // Two first starts on one database make one account.
    await sql.query("select pg_advisory_xact_lock(hashtext('vantage first run'))");
    await sql.query(`insert into accounts (account_id, name) values ($1, $2) on conflict (name) do nothing`, [
      newId(),
      account,
    ]);
    await sql.query(
      `insert into locations (location_id, account_no, name)
       select $1, account_no, $3 from accounts where name = $2 on conflict (account_no, name) do nothing`,
      [newId(), account, location],
    );
    return {
      api_key_uw: await key(sql, 'UW', before.api_key_uw),
      api_key_ur: await key(sql, 'UR', before.api_key_ur),
      agent_token: await token(sql, before.agent_token, path.join(dataDir, 'agent')),
    };
  });
  writeWhole(file, `${JSON.stringify(credentials, null, 2)}\n`, 0o600);
  writeWhole(path.join(dataDir, 'agent-token'), `${credentials.agent_token}\n`, 0o600);
  const isFresh =
    credentials.api_key_uw !== before.api_key_uw || credentials.api_key_ur !== before.api_key_ur;
  return { ...credentials, isFresh };
}

function remembered(file: string): { readonly [Name in keyof Credentials]?: Credentials[Name] | undefined } {
  let text: string | undefined;
  try {
    text = readIfPresentSync(file);
  } catch (cause) {
    throw new Fault('stop', 'first_run', `${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
  if (text === undefined) return {};
  try {
    return kept.partial().parse(JSON.parse(text));
  } catch (cause) {
    throw new Fault(
      'stop',
      'first_run',
      `${file} is damaged; put it back from the backup, or remove it: new keys are issued then, the old ones stay in force ("./vantage keys list")`,
      { cause },
    );
  }
}

async function key(sql: Sql, level: 'UW' | 'UR', before: string | undefined): Promise<string> {
  const state = before ? await stateOf(sql, 'api_keys', 'key_hash', before) : 'revoked';
  if (before && state === 'in force') return before;
  const again = before && state === 'unknown' ? { key: before } : {};
  return (await issueKey(sql, { account, level, name: 'first run', ...again })).key;
}

async function token(sql: Sql, before: string | undefined, agentDir: string): Promise<string> {
  const state = before ? await stateOf(sql, 'agents', 'token_hash', before) : 'revoked';
  if (before && state === 'in force') {
    if (knowsItself(agentDir)) return before;
    const [known] = await sql.query<{ agent_id: string }>(
      'select agent_id from agents where token_hash = $1 and session_counter > 0',
      [hashOf(before)],
    );
    if (!known) return before;
    // Its folder is gone, by a restore or by hand. It would begin to count anew and be taken for a copy of itself.
    await revokeAgent(sql, known.agent_id);
    return (await inviteAgent(sql, { account, location, name: hostname() })).token;
  }
  const again = before && state === 'unknown' ? { token: before } : {};
  return (await inviteAgent(sql, { account, location, name: hostname(), ...again })).token;
}

/** Whether the agent's folder remembers the agent's sessions. Throws when that cannot be seen. */
function knowsItself(agentDir: string): boolean {
  return ['identity.bin', 'identity.json'].some(
    (name) => statSync(path.join(agentDir, name), { throwIfNoEntry: false }) !== undefined,
  );
}

async function stateOf(
  sql: Sql,
  table: 'api_keys' | 'agents',
  column: 'key_hash' | 'token_hash',
  credential: string,
): Promise<'in force' | 'revoked' | 'unknown'> {
  const [row] = await sql.query<{ revoked: boolean }>(
    `select revoked_at is not null as revoked from ${table} where ${column} = $1`,
    [hashOf(credential)],
  );
  if (!row) return 'unknown';
  return row.revoked ? 'revoked' : 'in force';
}

/** Whether the agent with this token has its stream. */
export async function agentIsConnected(databaseUrl: string, agentToken: string): Promise<boolean> {
  const rows = await inTransaction(databaseUrl, (sql) =>
    sql.query<{ state: string }>('select state from agents where token_hash = $1', [hashOf(agentToken)]),
  );
  return rows[0]?.state === 'Connected';
}
