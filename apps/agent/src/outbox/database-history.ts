import type { DatabaseHistory as Wire } from '@vantage/proto';

/** Where the commit of an acknowledged batch stands in the history of the database; see the wire's Ack. */
export interface AckPosition {
  readonly epochId: string;
  readonly mark: number;
}

/** The marks that the database still has, by epoch. Only epochs that this agent named are in it. */
export type DatabaseHistory = ReadonlyMap<string, { readonly mark: number; readonly isWhole: boolean }>;

/** Reads the wire's message. Pure. */
export function historyOf({ epochs }: Wire): DatabaseHistory {
  return new Map(epochs.map(({ epochId, mark, whole }) => [epochId, { mark: Number(mark), isWhole: whole }]));
}

/*
 *   the epoch is      | the mark is                | the acknowledged batch is
 *   not named         | any                        | not lost: nothing is known of it
 *   whole             | any                        | not lost
 *   not whole         | at most the database's     | not lost
 *   not whole         | beyond the database's      | lost
 */
/** Whether the database does not have any more what it acknowledged at this position. Pure. */
export function isLost({ epochId, mark }: AckPosition, history: DatabaseHistory): boolean {
  const known = history.get(epochId);
  return known !== undefined && !known.isWhole && mark > known.mark;
}
