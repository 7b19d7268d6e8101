import { Code, ConnectError } from '@connectrpc/connect';
import {
  type Clock,
  createSemaphore,
  declareShare,
  declareState,
  type Logger,
  messageOf,
} from '@vantage/kernel';
import { createRateLimiter } from '../../server/rate-limiter.ts';
import type { KeyOwner } from './gateway-store.ts';
import type { Peer } from './peer.ts';
import type { Caller } from './stream-handler.ts';

declareShare({
  name: 'look_ups_of_certificates',
  limit: '2 run, 4,096 wait',
  filledBy: 'agents with a certificate',
  share: '4 streams of an agent wait',
});

declareShare({
  name: 'openings_of_streams',
  limit: '30 in a row and then one a second for each agent',
  filledBy: 'agents',
  share: 'the same',
});

/** Decides by a connection's certificate alone whether its sender may open a stream. */
interface Admission {
  /**
   * The agent of the certificate, and its slot among the streams. The caller disposes the slot when the stream ends.
   * Throws a ConnectError when the sender may not open a stream.
   */
  admit(sender: Pick<Caller, 'peer'>): Promise<{ readonly owner: KeyOwner; readonly slot: Disposable }>;
}

/**
 * Streams that one agent may have at one time: the present one, and some whose end the controller has not noticed yet.
 */
const streamsPerAgent = 4;

/** Streams that one agent may open in a short time. */
const openings = { burst: 30, perSecond: 1, maxKeys: 100_000 };

/**
 * Keys that are looked up at one time. Strangers never use more of the database than this. When too many wait, further
 * callers must try again.
 */
const lookUps = { running: 2, waiting: 4_096 };

const trackedAgents = declareState({
  name: 'agents_with_streams',
  entries: { each: 'agent connection' },
  entryBytes: 100,
  filledBy: 'agents',
  atBound: 'the limit of connections',
});

/** Creates the admission. `ownerOfKey` finds the agent of the SHA-256 of a public key. */
export function createAdmission({
  clock,
  log,
  ownerOfKey,
}: {
  readonly clock: Clock;
  readonly log: Logger;
  readonly ownerOfKey: (keyHash: Uint8Array) => Promise<KeyOwner | undefined>;
}): Admission {
  const lookingUp = createSemaphore(lookUps);
  const opening = createRateLimiter<number>(openings);
  const streams = trackedAgents(new Map<number, number>());

  const slotOf = (agentNo: number): Disposable => {
    const present = streams.get(agentNo) ?? 0;
    if (present >= streamsPerAgent)
      throw new ConnectError(
        `this agent has ${present} streams, and ${streamsPerAgent} are the most`,
        Code.ResourceExhausted,
      );
    streams.set(agentNo, present + 1);
    return {
      [Symbol.dispose]() {
        const left = (streams.get(agentNo) ?? 1) - 1;
        if (left > 0) streams.set(agentNo, left);
        else streams.delete(agentNo);
      },
    };
  };

  const lookUp = async (keyHash: Uint8Array): Promise<KeyOwner | undefined> => {
    const found = await lookingUp
      .run(() => ownerOfKey(keyHash))
      .catch((error: unknown) => {
        log.warn({ error: messageOf(error) }, 'a certificate cannot be looked up');
        throw new ConnectError('the controller cannot reach its database: try again', Code.Unavailable);
      });
    if (found === undefined)
      throw new ConnectError('too many agents connect at the same time: try again', Code.Unavailable);
    return found.value;
  };
  const ownerOf = async (peer: Peer | undefined): Promise<KeyOwner> => {
    if (peer === undefined)
      throw new ConnectError('a certificate is needed: the agent must enrol', Code.Unauthenticated);
    const { keyHash, agentId, fault } = peer;
    if (fault !== undefined)
      throw new ConnectError(`this certificate is not accepted: ${fault}`, Code.Unauthenticated);
    const owner = await lookUp(keyHash);
    if (owner?.agentId !== agentId) throw new ConnectError('unknown agent', Code.Unauthenticated);
    return owner;
  };

  return {
    async admit({ peer }) {
      const owner = await ownerOf(peer);
      if (!opening.allow(owner.agentNo, clock.monoMs()))
        throw new ConnectError('this agent opened too many streams in a short time', Code.ResourceExhausted);
      return { owner, slot: slotOf(owner.agentNo) };
    },
  };
}
