/**
 * `copying`: a source that is read. `moved`: a source that was replaced by its copy. `unfinished`: a copy that lacks
 * rows. `prepared`: a complete copy that has not replaced its source yet. `arrived`: a copy in use.
 */
export type MoveState = 'copying' | 'moved' | 'unfinished' | 'prepared' | 'arrived';

/** The row of `database_moves`. */
export interface DatabaseMove {
  readonly state: MoveState;
  /** Identifies one attempt of one copy. */
  readonly copyId: string;
  /** The database that receives the rows, without a password. */
  readonly target: string;
}

/** A database that may become a copy. */
export interface CopyTarget {
  /** It has accounts. */
  readonly isUsed: boolean;
  readonly move: DatabaseMove | undefined;
}

/** The next step of `vantage database copy`, or the reason why it does nothing. */
export type CopyStep =
  | { readonly step: 'begin' | 'finish' | 'done' }
  | { readonly step: 'refuse'; readonly code: string; readonly why: string };

/*
 *   source                   | target                    | step
 *   unfinished, prepared     | any                       | refuse: an incomplete copy is no source
 *   moved                    | prepared, of this copy    | finish: only the state of the copy is missing
 *   moved                    | arrived, of this copy     | done
 *   moved                    | any other                 | refuse: the rows are in another database
 *   none, copying, arrived   | unfinished, prepared      | begin, from nothing: the source was never replaced
 *   none, copying, arrived   | not used, without a move  | begin
 *   none, copying, arrived   | any other                 | refuse: the target has rows
 */
/** Decides the next step from the states of both databases. The same call repeats an interrupted copy. Pure. */
export function decideCopy(source: DatabaseMove | undefined, target: CopyTarget): CopyStep {
  const { move } = target;
  switch (source?.state) {
    case 'unfinished':
    case 'prepared':
      return refuse(
        'source_unfinished',
        'FROM is an unfinished copy itself: copy from the database it came from',
      );
    case 'moved': {
      const isThis = move?.copyId === source.copyId;
      if (isThis && move.state === 'prepared') return { step: 'finish' };
      if (isThis && move.state === 'arrived') return { step: 'done' };
      return refuse(
        'moved',
        `FROM was already copied to ${source.target}, which replaced it: copy from there`,
      );
    }
    case undefined:
    case 'copying':
    case 'arrived':
      break;
  }
  if (move?.state === 'unfinished' || move?.state === 'prepared') return { step: 'begin' };
  if (move?.state === 'moved')
    return refuse(
      'not_empty',
      `TO was replaced by ${move.target}, and keeps its rows: create it again, empty`,
    );
  if (target.isUsed || move !== undefined)
    return refuse('not_empty', 'TO is in use: a database can only be copied into an empty one');
  return { step: 'begin' };
}

function refuse(code: string, why: string): CopyStep {
  return { step: 'refuse', code, why };
}

/** Whether a controller may use a database. */
export type UseDecision = 'serve' | 'follow' | 'finish' | 'refuse';

/*
 *   move                                      | a controller that starts
 *   none, copying, arrived                    | serve
 *   moved                                     | follow: it uses the copy
 *   prepared, and it came from its source     | finish: the copy becomes `arrived`, then serve
 *   unfinished, prepared                      | refuse
 */
/** `from`: the copyId that the replaced source named. Pure. */
export function decideUse(move: DatabaseMove | undefined, from: string | undefined): UseDecision {
  switch (move?.state) {
    case undefined:
    case 'copying':
    case 'arrived':
      return 'serve';
    case 'moved':
      return 'follow';
    case 'prepared':
      return move.copyId === from ? 'finish' : 'refuse';
    case 'unfinished':
      return 'refuse';
  }
}

/** The maximum time, ms, for which writers wait. After it they continue, and the switch is tried again. */
export const maxWriterWaitMs = 20_000;
/** After a round of at most this time, the next round, for which writers wait, ends in time. */
const quickMs = 3_000;
/** When rounds do not get faster: after `rounds` a longer wait is tried, and after `maxRounds` the copy ends. */
const patience = { rounds: 20, slowMs: maxWriterWaitMs / 2, maxRounds: 200 };

/**
 * The next step after a round of changes: `again`, `switch` (writers wait while the last changes are copied) or `give
 * up` (changes come faster than they are copied). Pure.
 */
export function afterRound(round: {
  readonly count: number;
  readonly tookMs: number;
}): 'again' | 'switch' | 'give up' {
  if (round.tookMs <= quickMs) return 'switch';
  if (round.count >= patience.rounds && round.tookMs <= patience.slowMs) return 'switch';
  return round.count >= patience.maxRounds ? 'give up' : 'again';
}
