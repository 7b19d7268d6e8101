/** The last position that a controller wrote in an epoch, as the controller remembers it. */
export interface WrittenPosition {
  readonly position: number;
  readonly writtenUs: number;
}

/** The same epoch as the database has it. */
export interface FoundEpoch extends WrittenPosition {
  /** The run of the server on which this epoch was written is the present one. */
  readonly isPresentServer: boolean;
}

/** `same`: nothing is lost. `restarted`: commits after the last position may be lost. `back`: positions are lost. */
type HistoryVerdict = 'same' | 'restarted' | 'back';

/*
 *   the database has    | its position is       | its server is   | verdict
 *   no such epoch       | -                     | -               | back: a backup from before the epoch
 *   the epoch           | lower than remembered | any             | back: a backup, a snapshot, a replica that was behind
 *   the epoch           | the same or higher    | another run     | restarted: also a replica that was behind by less
 *   the epoch           | the same or higher    | the same run    | same
 */
/**
 * Whether the database went back since the position. A higher position is one whose commit was not confirmed to the
 * controller. Pure.
 */
export function decideHistory(remembered: WrittenPosition, found: FoundEpoch | undefined): HistoryVerdict {
  if (found === undefined || found.position < remembered.position) return 'back';
  return found.isPresentServer ? 'same' : 'restarted';
}
