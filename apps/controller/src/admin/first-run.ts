import type { OperatorAnswers, OperatorRequests } from '@vantage/domain/operator-commands';

/** The state of a credential in the database: it is in force, it was revoked, or the database does not know it. */
export type CredentialState = 'in-force' | 'revoked' | 'unknown';

/** Keeps a credential, or issues one: the given credential in a database that does not know it, else a new one. */
export type Renewal =
  | { readonly kind: 'keep'; readonly credential: string }
  | { readonly kind: 'issue'; readonly credential: string | undefined };

/** Decides about a credential that the data folder keeps (undefined: it keeps none). Pure. */
export function renewalOf(credential: string | undefined, state: CredentialState): Renewal {
  if (credential === undefined || state === 'revoked') return { kind: 'issue', credential: undefined };
  return state === 'in-force' ? { kind: 'keep', credential } : { kind: 'issue', credential };
}

export interface FirstRunAgent {
  readonly agentId: string;
  readonly isRevoked: boolean;
  /** Whether it has enrolled or connected before. */
  readonly hasSessions: boolean;
}

/** Reads and writes of the account `default` and its Location `local`, in one transaction. */
export interface FirstRunAccount {
  stateOfKey(key: string): Promise<CredentialState>;
  issueKey(level: 'UA' | 'UW' | 'UR', key: string | undefined): Promise<string>;
  agentWithToken(token: string): Promise<FirstRunAgent | undefined>;
  inviteAgent(name: string, token: string | undefined): Promise<string>;
  /** Extends the validity of a token that has not enrolled its agent yet. */
  extendInvitation(token: string): Promise<void>;
  revokeAgent(agentId: string): Promise<void>;
}

/**
 * Keeps the credentials of the data folder valid, and issues the ones that are missing or revoked. An agent whose
 * folder is missing is replaced: it would count its sessions from the start, and the controller would take it for a
 * clone.
 */
export async function provision(
  account: FirstRunAccount,
  request: OperatorRequests['first-run.provision'],
): Promise<OperatorAnswers['first-run.provision']> {
  const api_key_ua = await renewAdminKey(account, request);
  return {
    ...(api_key_ua === undefined ? {} : { api_key_ua }),
    api_key_uw: await renewKey(account, 'UW', request.api_key_uw),
    api_key_ur: await renewKey(account, 'UR', request.api_key_ur),
    agent_token: await renewToken(account, request),
  };
}

/** The administrator's key is issued with the first keys. A revoked one was revoked on purpose, and is not replaced. */
async function renewAdminKey(
  account: FirstRunAccount,
  { api_key_ua: key, api_key_uw }: OperatorRequests['first-run.provision'],
): Promise<string | undefined> {
  if (key === undefined) return api_key_uw === undefined ? account.issueKey('UA', undefined) : undefined;
  const state = await account.stateOfKey(key);
  if (state === 'revoked') return undefined;
  return state === 'in-force' ? key : account.issueKey('UA', key);
}

async function renewKey(
  account: FirstRunAccount,
  level: 'UW' | 'UR',
  key: string | undefined,
): Promise<string> {
  const renewal = renewalOf(key, key === undefined ? 'unknown' : await account.stateOfKey(key));
  return renewal.kind === 'keep' ? renewal.credential : account.issueKey(level, renewal.credential);
}

async function renewToken(
  account: FirstRunAccount,
  request: OperatorRequests['first-run.provision'],
): Promise<string> {
  const { agent_token, agent_name, has_agent_folder } = request;
  const agent = agent_token === undefined ? undefined : await account.agentWithToken(agent_token);
  if (agent && !agent.isRevoked && agent.hasSessions && !has_agent_folder) {
    await account.revokeAgent(agent.agentId);
    return account.inviteAgent(agent_name, undefined);
  }
  const state = agent === undefined ? 'unknown' : agent.isRevoked ? 'revoked' : 'in-force';
  const renewal = renewalOf(agent_token, state);
  if (renewal.kind === 'issue') return account.inviteAgent(agent_name, renewal.credential);
  await account.extendInvitation(renewal.credential);
  return renewal.credential;
}
