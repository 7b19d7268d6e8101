/** The history of writes that a server has, in its own words. */
export interface ServerHistory {
  readonly system: string;
  readonly database: string;
  readonly timeline: number;
}

/** The same of a primary, and whether other servers have its checks. */
export interface PrimaryHistory extends ServerHistory {
  readonly isDistributed: boolean;
}

/** The replica's own words, or why it gave none. */
export type ReplicaAnswer =
  | (ServerHistory & { readonly kind: 'answer'; readonly isStandby: boolean })
  | { readonly kind: 'none'; readonly reason: string };

/** Whether history is read from the replica, and why not. */
export type Verdict =
  | { readonly kind: 'used' }
  | {
      readonly kind: 'waiting' | 'away' | 'distributed' | 'primary' | 'foreign' | 'timeline' | 'behind';
      readonly reason: string;
    };

/**
 * Decides whether a replica may be read. One that was behind is used again when it is at most half as old as allowed,
 * so that it does not go back and forth. Pure.
 *
 * | the replica | verdict |
 * |---|---|
 * | or the primary did not answer yet | waiting |
 * | does not answer | away |
 * | is one of a coordinator of Citus: the workers have most of the rows, and nobody knows how old theirs are | distributed |
 * | is no replica any more: it was promoted | primary |
 * | has another system identifier, or another database, than the primary | foreign |
 * | follows another timeline than the primary: its rows may be ones that the primary never had | timeline |
 * | is older than allowed | behind |
 */
export function decideReplica(seen: {
  readonly primary: PrimaryHistory | undefined;
  readonly replica: ReplicaAnswer | undefined;
  readonly ageMs: number | undefined;
  readonly maxAgeMs: number;
  readonly wasUsed: boolean;
}): Verdict {
  const { primary, replica, ageMs, maxAgeMs, wasUsed } = seen;
  if (replica?.kind === 'none') return { kind: 'away', reason: `it does not answer: ${replica.reason}` };
  if (primary === undefined || replica === undefined)
    return { kind: 'waiting', reason: 'both servers were not asked yet' };
  if (primary.isDistributed)
    return {
      kind: 'distributed',
      reason: 'the history lies on the workers of a Citus cluster, which no replica of the coordinator has',
    };
  if (!replica.isStandby) return { kind: 'primary', reason: 'it is no replica any more: it was promoted' };
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
