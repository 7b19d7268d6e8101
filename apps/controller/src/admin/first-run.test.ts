import { expect, test } from 'vitest';
import { type CredentialState, type FirstRunAgent, provision, renewalOf } from './first-run.ts';

test.each([
  [undefined, 'unknown', { kind: 'issue', credential: undefined }],
  ['c', 'in-force', { kind: 'keep', credential: 'c' }],
  ['c', 'revoked', { kind: 'issue', credential: undefined }],
  ['c', 'unknown', { kind: 'issue', credential: 'c' }],
] as const)('the credential %s that is %s leads to %j', (credential, state, expected) => {
  expect(renewalOf(credential, state)).toEqual(expected);
});

/** Provisions the agent's token only; returns the token and the agents that were revoked. */
async function tokenFor(agent: FirstRunAgent | undefined, hasFolder: boolean) {
  const revoked: string[] = [];
  const { agent_token } = await provision(
    {
      stateOfKey: () => Promise.resolve<CredentialState>('in-force'),
      issueKey: () => Promise.resolve('new key'),
      agentWithToken: () => Promise.resolve(agent),
      extendInvitation: () => Promise.resolve(),
      inviteAgent: (_name, token = 'new token') => Promise.resolve(token),
      revokeAgent: (agentId) => Promise.resolve(void revoked.push(agentId)),
    },
    { agent_token: 'kept', agent_name: 'host', has_agent_folder: hasFolder },
  );
  return { agent_token, revoked };
}

const known: FirstRunAgent = { agentId: 'a', isRevoked: false, hasSessions: true };
test.each([
  ['connected before and has its folder', known, true, 'kept', []],
  ['connected before and lost its folder', known, false, 'new token', ['a']],
  ['never connected', { ...known, hasSessions: false }, false, 'kept', []],
  ['was revoked', { ...known, isRevoked: true }, true, 'new token', []],
  ['is unknown to the database', undefined, true, 'kept', []],
])('an agent that %s', async (_, agent, hasFolder, token, revoked) => {
  expect(await tokenFor(agent, hasFolder)).toEqual({ agent_token: token, revoked });
});
