/**
 * The row of `database_moves`. `copying`: a source that is read. `moved`: a source whose place another database took.
 * `unfinished`: a copy that lacks rows. `prepared`: a whole copy whose source is not given up yet. `arrived`: a copy in
 * use.
 */
export type MoveState = 'copying' | 'moved' | 'unfinished' | 'prepared' | 'arrived';

/** The content of `database_moves`. */
export interface Mark {
  readonly state: MoveState;
  /** Names one try of one copy. */
  readonly copyId: string;
  /** Where the rows went or go, without a password. */
  readonly target: string;
}

/** A database that may become a copy: it has no accounts, or somebody used it; its mark if it has one. */
export interface FoundTarget {
  readonly isUsed: boolean;
  readonly mark: Mark | undefined;
}

/** The next act of `vantage database copy`, or why it does nothing. */
export type CopyStep =
  | { readonly step: 'begin' | 'finish' | 'done' }
  | { readonly step: 'refuse'; readonly code: string; readonly why: string };

/*
 *   source                   | target                    | step
 *   unfinished, prepared     | any                       | refuse: half a copy is no source
 *   moved                    | prepared, of this copy    | finish: the source is given up, only the copy's mark is missing
 *   moved                    | arrived, of this copy     | done
 *   moved                    | any other                 | refuse: the rows are somewhere else
 *   none, copying, arrived   | unfinished, prepared      | begin, from nothing: the source was never given up
 *   none, copying, arrived   | not used, without a mark  | begin
 *   none, copying, arrived   | any other                 | refuse: somebody's rows are there
 */
/** Decides what follows from what both databases say. Whatever was interrupted is repeated by the same call. Pure. */
export function decideCopy(source: Mark | undefined, target: FoundTarget): CopyStep {
  const { mark } = target;
  switch (source?.state) {
    case 'unfinished':
    case 'prepared':
      return refuse(
        'source_unfinished',
        'FROM is an unfinished copy itself: copy from the database it came from',
      );
    case 'moved': {
      const isThis = mark?.copyId === source.copyId;
      if (isThis && mark.state === 'prepared') return { step: 'finish' };
      if (isThis && mark.state === 'arrived') return { step: 'done' };
      return refuse(
        'moved',
        `FROM was copied to ${source.target} already, which took its place: copy from there`,
      );
    }
    case undefined:
    case 'copying':
    case 'arrived':
      break;
  }
  if (mark?.state === 'unfinished' || mark?.state === 'prepared') return { step: 'begin' };
  if (mark?.state === 'moved')
    return refuse(
      'not_empty',
      `TO was given up for ${mark.target}, and keeps its rows: create it anew, empty`,
    );
  if (target.isUsed || mark !== undefined)
    return refuse('not_empty', 'TO is in use: a database is copied into an empty one only');
  return { step: 'begin' };
}

function refuse(code: string, why: string): CopyStep {
  return { step: 'refuse', code, why };
}

/** Whether a controller may use a database. */
export type Welcome = 'serve' | 'follow' | 'finish' | 'refuse';

/*
 *   mark                                      | a controller that starts
 *   none, copying, arrived                    | serve
 *   moved                                     | follow: it uses the copy
 *   prepared, and it came from its source     | finish: the copy is marked as arrived, then serve
 *   unfinished, prepared                      | refuse
 */
/** `from`: the copy that a source named, which was given up for this database. Pure. */
export function decideWelcome(mark: Mark | undefined, from: string | undefined): Welcome {
  switch (mark?.state) {
    case undefined:
    case 'copying':
    case 'arrived':
      return 'serve';
    case 'moved':
      return 'follow';
    case 'prepared':
      return mark.copyId === from ? 'finish' : 'refuse';
    case 'unfinished':
      return 'refuse';
  }
}

/** The writers wait for so long at most, ms; then the copy lets them go on and tries again. */
export const longestHoldMs = 20_000;
/** A round of changes that took so long lets the next one, for which writers wait, end in time. */
const quickMs = 3_000;
/** Rounds that do not get quicker: after these, a longer hold is tried, and after more of them the copy ends. */
const patience = { rounds: 20, slowMs: longestHoldMs / 2, mostRounds: 200 };

/**
 * The act after a round of changes: `again`, `switch` (the writers wait while the last changes are copied) or `give up`
 * (changes come in faster than they are copied). Pure.
 */
export function afterRound(round: {
  readonly count: number;
  readonly tookMs: number;
}): 'again' | 'switch' | 'give up' {
  if (round.tookMs <= quickMs) return 'switch';
  if (round.count >= patience.rounds && round.tookMs <= patience.slowMs) return 'switch';
  return round.count >= patience.mostRounds ? 'give up' : 'again';
}
