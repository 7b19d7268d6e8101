import type { DatabaseHistory } from '@vantage/proto';

/**
 * The position of the commit that acknowledged a batch in the history of the database. `sequence` is the wire's
 * `mark`; see the message Ack.
 */
export interface AckPosition {
  readonly epochId: string;
  readonly sequence: number;
}

/** The highest sequence that the database still has in each epoch. Lists only epochs that this agent named. */
export type EpochHistory = ReadonlyMap<string, { readonly sequence: number; readonly isWhole: boolean }>;

/** Reads the wire's message. Pure. */
export function historyOf({ epochs }: DatabaseHistory): EpochHistory {
  return new Map(
    epochs.map(({ epochId, mark, whole }) => [epochId, { sequence: Number(mark), isWhole: whole }]),
  );
}

/*
 *   epoch      | sequence                   | acknowledged batch
 *   not listed | any                        | not lost, because nothing is known about it
 *   whole      | any                        | not lost
 *   not whole  | at most the database's     | not lost
 *   not whole  | higher than the database's | lost
 */
/** Whether the database has lost what it acknowledged at this position. Pure. */
export function isLost({ epochId, sequence }: AckPosition, history: EpochHistory): boolean {
  const known = history.get(epochId);
  return known !== undefined && !known.isWhole && sequence > known.sequence;
}
