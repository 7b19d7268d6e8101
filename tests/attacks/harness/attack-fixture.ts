import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLog, newId } from '@vantage/kernel';
import { createDb, type Tables } from '@vantage/storage';
import { createTestDatabase } from '@vantage/testing/database';
import { createFixtures, type Fixtures } from '@vantage/testing/fixtures';
import type { Kysely } from 'kysely';
import { expect, vi } from 'vitest';
import { z } from 'zod';
import type { AgentIdentity } from '../../../apps/controller/src/testing/agent-identity.ts';
import { insertEnrolledAgent } from '../../../apps/controller/src/testing/agent-identity.ts';
import { type Api, createApi } from '../../harness/api.ts';
import { repositoryRoot } from '../../harness/system.ts';
import { systemAuthority } from '../../harness/system-authority.ts';
import { putDatabaseAhead } from './priority.ts';
import { type Program, startProgram } from './program.ts';

/** An account with a key, a Location named `local` with a real agent, and the rows that a test adds. */
interface Account {
  readonly accountNo: number;
  readonly locationNo: number;
  readonly agentNo: number;
  readonly key: string;
  readonly api: Api;
  readonly agent: Program;
}

/** A running system with two separate accounts. Disposing ends and removes all of it. */
export interface AttackFixture extends AsyncDisposable {
  readonly controller: Program;
  /** Ends in /v1.1. */
  readonly baseUrl: string;
  readonly agentEndpoint: string;
  /** The CA's certificate, PEM. */
  readonly ca: string;
  readonly kysely: Kysely<Tables>;
  readonly rows: Fixtures;
  /** An agent without a program, with a certificate of the controller's authority. */
  readonly enrolAgent: (
    place: Parameters<Fixtures['agent']>[0],
  ) => Promise<{ readonly agentNo: number; readonly identity: AgentIdentity }>;
  /** The attacking account, and the account that takes no part. */
  readonly hostile: Account;
  readonly neighbour: Account;
}

const controllerBytes = 512 * 1024 * 1024;
const agentBytes = 200 * 1024 * 1024;

const ready = z.object({
  type: z.literal('ready'),
  base_url: z.string(),
  agent_endpoint: z.string(),
  ca_file: z.string(),
});
const log = createLog('attacks', 'warn');
const programOf = (part: string) => path.join(repositoryRoot, 'apps', part, 'src/main.ts');

/** Starts a controller on an external PostgreSQL, with two accounts and an agent for each. */
export async function createAttackFixture(
  settings: Readonly<Record<string, string>> = {},
): Promise<AttackFixture> {
  const resources = new AsyncDisposableStack();
  try {
    const folder = mkdtempSync(path.join(tmpdir(), 'vantage-attacks-'));
    resources.defer(() => rmSync(folder, { recursive: true, force: true }));
    const database = resources.use(await createTestDatabase());
    const db = await createDb({ connection: { url: database.url }, log });
    resources.defer(() => db.close());
    await putDatabaseAhead(db.kysely);
    const controller = resources.use(
      startProgram({
        name: 'controller',
        file: programOf('controller'),
        env: {
          VANTAGE_DATA: path.join(folder, 'controller'),
          VANTAGE_HTTPS_PORT: '0',
          VANTAGE_AGENT_PORT: '0',
          VANTAGE_DATABASE_URL: database.url,
          ...settings,
        },
        limitBytes: controllerBytes,
      }),
    );
    const { base_url: baseUrl, agent_endpoint: agentEndpoint, ca_file: caFile } = await whenReady(controller);
    const rows = createFixtures(db.kysely);
    const shared = { folder, kysely: db.kysely, rows, baseUrl, agentEndpoint, caFile };
    const neighbour = resources.use(await openAccount({ ...shared, name: 'neighbour' }));
    const hostile = resources.use(await openAccount({ ...shared, name: 'hostile' }));
    await vi.waitFor(
      async () => expect(await connectedAgents(db.kysely)).toEqual([neighbour.agentNo, hostile.agentNo]),
      { timeout: 60_000, interval: 200 },
    );
    const ca = readFileSync(caFile, 'utf8');
    const authority = await systemAuthority(db.kysely, path.join(folder, 'controller', 'secret.key'));
    return {
      controller,
      baseUrl,
      agentEndpoint,
      ca,
      kysely: db.kysely,
      rows,
      enrolAgent: (place) => insertEnrolledAgent(rows, authority, place),
      hostile,
      neighbour,
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    };
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

/** The agents with an open stream, in the order of their creation. */
async function connectedAgents(kysely: Kysely<Tables>): Promise<number[]> {
  const found = await kysely
    .selectFrom('agents')
    .select('agent_no')
    .where('state', '=', 'Connected')
    .orderBy('agent_no')
    .execute();
  return found.map(({ agent_no }) => agent_no);
}

async function openAccount(given: {
  readonly folder: string;
  readonly kysely: Kysely<Tables>;
  readonly rows: Fixtures;
  readonly baseUrl: string;
  readonly agentEndpoint: string;
  readonly caFile: string;
  readonly name: string;
}): Promise<Account & AsyncDisposable> {
  const { rows, baseUrl, caFile, name } = given;
  const accountNo = await rows.account();
  const locationNo = await rows.location(accountNo, { name: 'local' });
  const { agentNo, token } = await rows.agent({ accountNo, locationNo });
  const key = await issueKey(given.kysely, accountNo);
  const agent = startProgram({
    name: `agent-${name}`,
    file: programOf('agent'),
    env: {
      VANTAGE_AGENT_ENDPOINTS: given.agentEndpoint,
      VANTAGE_AGENT_TOKEN: token,
      VANTAGE_CA_FILE: caFile,
      VANTAGE_AGENT_DATA: path.join(given.folder, name),
    },
    limitBytes: agentBytes,
  });
  const api = createApi({ baseUrl, caFile, key, isRepeatedOnIdleEnd: true });
  return {
    accountNo,
    locationNo,
    agentNo,
    key,
    api,
    agent,
    async [Symbol.asyncDispose]() {
      api.close();
      await agent[Symbol.asyncDispose]();
    },
  };
}

/** An API key (UW) of an account. With `basic` it also requires a user and a password, whose hash is given. */
export async function issueKey(
  kysely: Kysely<Tables>,
  accountNo: number,
  basic: { readonly basic_user: string | null; readonly basic_hash: string | null } = {
    basic_user: null,
    basic_hash: null,
  },
): Promise<string> {
  const key = randomBytes(32).toString('hex');
  const key_hash = createHash('sha256').update(key).digest();
  await kysely
    .insertInto('api_keys')
    .values({
      key_id: newId(),
      account_no: accountNo,
      key_hash,
      hint: key.slice(0, 6),
      level: 'UW',
      ...basic,
    })
    .execute();
  return key;
}

function whenReady(controller: Program): Promise<z.infer<typeof ready>> {
  return new Promise((resolve, reject) => {
    controller.process.on('message', (message) => {
      const parsed = ready.safeParse(message);
      if (parsed.success) resolve(parsed.data);
    });
    controller.process.once('exit', (code) =>
      reject(new Error(`the controller ended (${code}):\n${controller.tail}`)),
    );
  });
}
