/** The last mark that a controller wrote, as it remembers it. */
export interface RememberedMark {
  readonly mark: number;
  readonly markedUs: number;
}

/** The same epoch as the database has it. */
export interface FoundEpoch extends RememberedMark {
  /** The run of the server that this epoch was written on is still the present one. */
  readonly isPresentServer: boolean;
}

/** `same`: nothing is lost. `restarted`: what was committed since the last mark may be lost. `back`: marks are lost. */
type Verdict = 'same' | 'restarted' | 'back';

/*
 *   the database has    | its mark is            | its server is   | verdict
 *   no such epoch       | -                      | -               | back: a backup from before the epoch
 *   the epoch           | lower than remembered  | any             | back: a backup, a snapshot, a replica that was behind
 *   the epoch           | the same or higher     | another run     | restarted: also a replica that was behind by less than a mark
 *   the epoch           | the same or higher     | the same run    | same
 */
/** Whether the database went back since the mark. A higher mark is one whose commit was not heard of. Pure. */
export function decideHistory(remembered: RememberedMark, found: FoundEpoch | undefined): Verdict {
  if (found === undefined || found.mark < remembered.mark) return 'back';
  return found.isPresentServer ? 'same' : 'restarted';
}
