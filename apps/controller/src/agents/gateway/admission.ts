import { Code, ConnectError } from '@connectrpc/connect';
import { type Clock, createSemaphore, declareState, type Logger, messageOf } from '@vantage/kernel';
import { hashCredential } from '../../platform/secrets/credential.ts';
import { createRateLimiter } from '../../platform/server/rate-limiter.ts';
import type { Peer } from './peer.ts';
import type { TokenOwner } from './store.ts';
import type { Caller } from './stream-handler.ts';

/** Decides by a connection's certificate, or by a request's headers alone, whether its sender may open a stream. */
export interface Admission {
  /**
   * The agent of the certificate, or of the token in the `authorization` header when there is no certificate, and its
   * place among the streams. The caller disposes the place when the stream is over. Throws a ConnectError when the
   * sender may not open a stream.
   */
  admit(
    sender: Pick<Caller, 'authorization' | 'peer'>,
  ): Promise<{ readonly owner: TokenOwner; readonly place: Disposable }>;
}

/**
 * Streams that one agent may have at one time: the present one, and some whose end the controller has not noticed yet.
 */
const streamsPerAgent = 4;
/** Streams that one agent may open in a short time. */
const openings = { burst: 30, perSecond: 1, maxKeys: 100_000 };
/**
 * Tokens and keys that are looked up at one time. Strangers never use more of the database than this. When too many
 * wait, further callers must try again.
 */
const lookUps = { running: 2, waiting: 4_096 };

const tracked = declareState({
  name: 'agents_with_streams',
  entries: { each: 'agent connection' },
  entryBytes: 100,
  filledBy: 'agents',
  atBound: 'the limit of connections',
});

/** Creates the admission. `ownerOfToken` and `ownerOfKey` find the agent of the SHA-256 of a token or public key. */
export function createAdmission({
  clock,
  log,
  acceptsOldTokens,
  ownerOfToken,
  ownerOfKey,
}: {
  readonly clock: Clock;
  readonly log: Logger;
  readonly acceptsOldTokens: boolean;
  readonly ownerOfToken: (
    tokenHash: Uint8Array,
  ) => Promise<(TokenOwner & { readonly onlyEnrols: boolean }) | undefined>;
  readonly ownerOfKey: (keyHash: Uint8Array) => Promise<TokenOwner | undefined>;
}): Admission {
  const lookingUp = createSemaphore(lookUps);
  const opening = createRateLimiter<number>(openings);
  const streams = tracked(new Map<number, number>());

  const placeOf = (agentNo: number): Disposable => {
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

  const lookUp = async <T>(find: () => Promise<T>): Promise<T> => {
    const found = await lookingUp.run(find).catch((error: unknown) => {
      log.warn({ error: messageOf(error) }, 'a token or certificate cannot be looked up');
      throw new ConnectError('the controller cannot reach its database: try again', Code.Unavailable);
    });
    if (found === undefined) throw new ConnectError('too many want to come in: try again', Code.Unavailable);
    return found.value;
  };
  const byCertificate = async ({ keyHash, agentId, fault }: Peer): Promise<TokenOwner> => {
    if (fault !== undefined)
      throw new ConnectError(`this certificate is not accepted: ${fault}`, Code.Unauthenticated);
    const owner = await lookUp(() => ownerOfKey(keyHash));
    if (owner?.agentId !== agentId)
      throw new ConnectError('this certificate is not known here', Code.Unauthenticated);
    return owner;
  };
  const byToken = async (authorization: string | null): Promise<TokenOwner> => {
    const tokenHash = hashOf(authorization);
    const owner = await lookUp(() => ownerOfToken(tokenHash));
    if (owner === undefined) throw new ConnectError('this token is not known here', Code.Unauthenticated);
    if (owner.onlyEnrols || !acceptsOldTokens)
      throw new ConnectError(
        'a token opens no stream here: the agent must enrol and show its certificate',
        Code.Unauthenticated,
      );
    return owner;
  };

  return {
    async admit({ authorization, peer }) {
      const owner = await (peer === undefined ? byToken(authorization) : byCertificate(peer));
      if (!opening.allow(owner.agentNo, clock.monoMs()))
        throw new ConnectError('this agent opened too many streams in a short time', Code.ResourceExhausted);
      return { owner, place: placeOf(owner.agentNo) };
    },
  };
}

/** SHA-256 of the bearer token (RFC 6750); tokens are compared by their hashes, in the database's index. */
function hashOf(header: string | null): Uint8Array {
  const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
  if (token === undefined)
    throw new ConnectError('a certificate or a bearer token is needed', Code.Unauthenticated);
  return hashCredential(token);
}
