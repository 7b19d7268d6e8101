/** A version that an upgrade chose, as stored on disk. */
export interface ChosenVersion {
  /** The upgrade that requested it. */
  readonly upgradeId: string;
  readonly version: string;
  /** The version that ran before it. */
  readonly previous: string;
  /** The version of the installed program at that time. */
  readonly installed: string;
}

/** A version that is not confirmed yet. */
export interface TrialVersion extends ChosenVersion {
  /** The number of its starts. */
  readonly starts: number;
}

/** The end of the last start of a version on trial: an exit status, or `late` if the launcher ended it. */
export type LastStart = { readonly kind: 'ended'; readonly status: number } | { readonly kind: 'late' };

/** The version that the launcher starts. */
export type Selection =
  | { readonly kind: 'installed' }
  /** The files on the disk belong to an installed program that is gone: an operator installed another one manually. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'current'; readonly version: string }
  | { readonly kind: 'try'; readonly trial: TrialVersion }
  /** The version on trial is given up, for the reason `text`. */
  | { readonly kind: 'back'; readonly trial: TrialVersion; readonly text: string };

/** A version on trial must connect and report within this time after its start, seconds. */
export const trialS = 120;
const maxStarts = 3;

/*
 *   installed program | trial                        | current | selection
 *   another one       | any                          | any     | replaced: the installed program
 *   the same          | late, or started three times | any     | back to the version before it
 *   the same          | any other                    | any     | the version on trial
 *   the same          | none                         | some    | current
 *   any               | none                         | none    | installed
 */
/** Chooses the version to start. Pure. */
export function selectVersion(now: {
  readonly installed: string;
  readonly current: ChosenVersion | undefined;
  readonly trial: TrialVersion | undefined;
  readonly outcome: LastStart;
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
