import type { Schemas } from '@vantage/client';
import { useEffect, useState } from 'preact/hooks';
import { problemWords } from '../../parts/problem-words.ts';
import { readLocations } from '../../store/account-state.ts';
import { removeAgentFully } from '../../store/agents.ts';
import { ApiProblem, api, take } from '../../store/api.ts';
import { accountId } from '../../store/present-sign-in.ts';

/** The agent that is to be invited. */
export interface InvitationRequest {
  readonly location: string;
  readonly name: string;
  /** The address of this controller; '': that of its settings. */
  readonly endpoint: string;
}

/** An invitation, with the warnings of the controller. */
export interface MadeInvitation {
  readonly invitation: Schemas['Invitation'];
  readonly request: InvitationRequest;
  readonly warnings: string;
}

/** The code of the API while the controller builds the agent's package. */
const notYet = 1503;
const againMs = 3_000;

const keyOf = () => `vantage-agent-address ${accountId.value ?? ''}`;

/** The address of this controller that the person chose in this browser; '': none. */
export const keptEndpoint = (): string => localStorage.getItem(keyOf()) ?? '';

function keepEndpoint(endpoint: string): void {
  if (endpoint === '') localStorage.removeItem(keyOf());
  else localStorage.setItem(keyOf(), endpoint);
}

async function send({ location, name, endpoint }: InvitationRequest) {
  const body = {
    Location: location,
    ...(name === '' ? {} : { Name: name }),
    ...(endpoint === '' ? {} : { Endpoint: endpoint }),
  };
  const answer = api.POST('/agents/invitations', { body });
  const invitation = await take(answer);
  return { invitation, warnings: (await answer).response.headers.get('Vantage-Warning') ?? '' };
}

/** Invites an agent. The request is repeated while the controller builds the agent's package. */
export function useInvitation() {
  const [made, setMade] = useState<MadeInvitation>();
  const [problem, setProblem] = useState<unknown>();
  /** The request of the next attempt; a new object after each refusal. */
  const [waiting, setWaiting] = useState<InvitationRequest>();
  const invite = async (request: InvitationRequest) => {
    const before = made;
    try {
      const next = await send(request);
      keepEndpoint(request.endpoint);
      setMade({ ...next, request });
      setProblem(undefined);
      setWaiting(undefined);
      if (before !== undefined) await removeAgentFully(before.invitation.agent_id);
      await readLocations();
    } catch (error) {
      setProblem(error);
      setWaiting(error instanceof ApiProblem && error.code === notYet ? { ...request } : undefined);
    }
  };
  useEffect(() => {
    if (waiting === undefined) return;
    const timer = setTimeout(() => void invite(waiting), againMs);
    return () => clearTimeout(timer);
  }, [waiting]);
  return {
    made,
    words: problem === undefined ? undefined : problemWords(problem),
    setProblem,
    isWaiting: waiting !== undefined,
    invite,
  };
}
