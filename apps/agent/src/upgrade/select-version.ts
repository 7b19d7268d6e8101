/** A version that was chosen, as the file on the disk has it. */
export interface Chosen {
  /** The upgrade that asked for it. */
  readonly upgradeId: string;
  readonly version: string;
  /** The version that ran before it. */
  readonly previous: string;
  /** The version of the installed program at that time. */
  readonly installed: string;
}

/** A version that is not confirmed yet. */
export interface Trial extends Chosen {
  /** How often it was started. */
  readonly starts: number;
}

/**
 * How the last start of a version on trial ended: by itself with an exit status, or by the launcher because it was
 * late.
 */
export type Outcome = { readonly kind: 'ended'; readonly status: number } | { readonly kind: 'late' };

/** The version that the launcher starts. */
export type Selection =
  | { readonly kind: 'installed' }
  /**
   * The files on the disk are of an installed program that is not there any more: an operator installed another one by
   * hand.
   */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'current'; readonly version: string }
  | { readonly kind: 'try'; readonly trial: Trial }
  /** The version on trial is given up, for the reason `text`. */
  | { readonly kind: 'back'; readonly trial: Trial; readonly text: string };

/** A version on trial must be connected and have reported within this time of its start, seconds. */
export const trialS = 120;
/** A version on trial is started this often at most. */
const maxStarts = 3;

/*
 *   installed program | trial                        | current | selection
 *   another one       | any                          | any     | replaced: the installed program
 *   the same          | late, or started three times | any     | back to the version before it
 *   the same          | any other                    | any     | the version on trial
 *   the same          | none                         | one     | current
 *   any               | none                         | none    | installed
 */
/** Chooses the version to start. Pure. */
export function selectVersion(now: {
  readonly installed: string;
  readonly current: Chosen | undefined;
  readonly trial: Trial | undefined;
  readonly outcome: Outcome;
}): Selection {
  const { installed, current, trial, outcome } = now;
  const chosen = trial ?? current;
  if (chosen === undefined) return { kind: 'installed' };
  if (chosen.installed !== installed) return { kind: 'replaced' };
  if (trial === undefined) return { kind: 'current', version: chosen.version };
  if (outcome.kind === 'late') {
    const text = `version ${trial.version} did not connect and report within ${trialS} s`;
    return { kind: 'back', trial, text };
  }
  if (trial.starts >= maxStarts) {
    const text = `version ${trial.version} ended ${trial.starts} times before it had reported, the last time with exit status ${outcome.status}`;
    return { kind: 'back', trial, text };
  }
  return { kind: 'try', trial: { ...trial, starts: trial.starts + 1 } };
}
