import { Goodbye_Reason } from '@vantage/proto';
import { expect, test } from 'vitest';
import { goodbyeFor } from './session-review.ts';

const agent = {
  agentNo: 1,
  agentId: 'a',
  agentName: 'edge',
  accountNo: 1,
  locationNo: 1,
  locationName: 'here',
};
const session = { agent, sessionId: 'mine', counter: 7, ended: false };
const row = { agent_no: 1, session_id: 'mine', session_counter: 7, state: 'Connected', location_no: 1 };

test.each([
  ['goes on while its row names it', session, row, undefined],
  ['ends when the agent is gone', session, undefined, Goodbye_Reason.REVOKED],
  ['ends when the agent is revoked', session, { ...row, state: 'Revoked' }, Goodbye_Reason.REVOKED],
  ['ends when the agent is fenced', session, { ...row, state: 'Fenced' }, Goodbye_Reason.FENCED],
  [
    'ends when the row names a later session',
    session,
    { ...row, session_id: 'x', session_counter: 8 },
    Goodbye_Reason.REPLACED,
  ],
  [
    'opens again at once when the database went back to an earlier one',
    session,
    { ...row, session_id: 'x', session_counter: 6 },
    Goodbye_Reason.SHUTDOWN,
  ],
  [
    'ends when the agent was moved',
    session,
    { ...row, state: 'Away', location_no: 2 },
    Goodbye_Reason.UNSPECIFIED,
  ],
  ['ends when its spans were closed meanwhile', session, { ...row, state: 'Away' }, Goodbye_Reason.SHUTDOWN],
  ['that ended is left alone', { ...session, ended: true }, { ...row, state: 'Away' }, undefined],
])('a session %s', (_title, one, found, reason) => {
  expect(goodbyeFor(one, found)?.reason).toBe(reason);
});
