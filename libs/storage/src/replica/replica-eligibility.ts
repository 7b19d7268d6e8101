/** The history of writes of a server, as it reports it. */
export interface ServerHistory {
  readonly system: string;
  readonly database: string;
  readonly timeline: number;
}

export interface PrimaryHistory extends ServerHistory {
  /** Its checks are on other servers. */
  readonly isDistributed: boolean;
}

/** The answer of a replica, or the reason why it gave none. */
export type ReplicaAnswer =
  | (ServerHistory & { readonly kind: 'answer'; readonly isStandby: boolean })
  | { readonly kind: 'none'; readonly reason: string };

/** Whether history is read from the replica, or the reason why not. */
export type ReplicaVerdict =
  | { readonly kind: 'used' }
  | {
      readonly kind: 'waiting' | 'away' | 'distributed' | 'primary' | 'foreign' | 'timeline' | 'behind';
      readonly reason: string;
    };

/**
 * Decides whether a replica may be read. After being behind it is used again when its age is at most half of the
 * maximum, so that the decision does not oscillate. Pure.
 *
 * | the replica | verdict |
 * |---|---|
 * | or the primary has not answered yet | waiting |
 * | does not answer | away |
 * | belongs to a coordinator of Citus: the workers have most of the rows, of unknown age | distributed |
 * | was promoted, so it is no longer a replica | primary |
 * | has another system identifier, or another database, than the primary | foreign |
 * | follows another timeline than the primary: it may have rows that the primary never had | timeline |
 * | is older than the maximum | behind |
 */
export function decideReplica(seen: {
  readonly primary: PrimaryHistory | undefined;
  readonly replica: ReplicaAnswer | undefined;
  readonly ageMs: number | undefined;
  readonly maxAgeMs: number;
  readonly wasUsed: boolean;
}): ReplicaVerdict {
  const { primary, replica, ageMs, maxAgeMs, wasUsed } = seen;
  if (replica?.kind === 'none') return { kind: 'away', reason: `it does not answer: ${replica.reason}` };
  if (primary === undefined || replica === undefined)
    return { kind: 'waiting', reason: 'the servers have not been polled yet' };
  if (primary.isDistributed)
    return {
      kind: 'distributed',
      reason: 'the history is on the workers of a Citus cluster, which no replica of the coordinator has',
    };
  if (!replica.isStandby) return { kind: 'primary', reason: 'it is no longer a replica: it was promoted' };
  if (replica.system !== primary.system || replica.database !== primary.database)
    return { kind: 'foreign', reason: 'it is no replica of the database of VANTAGE_DATABASE_URL' };
  if (replica.timeline !== primary.timeline)
    return {
      kind: 'timeline',
      reason: `it follows timeline ${replica.timeline}, and the primary writes timeline ${primary.timeline}`,
    };
  if (ageMs === undefined || ageMs > (wasUsed ? maxAgeMs : maxAgeMs / 2))
    return { kind: 'behind', reason: `it is behind by more than ${maxAgeMs / 1000} s` };
  return { kind: 'used' };
}
