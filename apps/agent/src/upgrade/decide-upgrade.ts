import { compareVersions, isVersion } from '@vantage/domain';

/** The decision about a request to run another version. `text`: for the operator. */
export type UpgradeDecision =
  /** It runs already. */
  | { readonly kind: 'none' }
  /** The version that ran before, which is still on the disk. */
  | { readonly kind: 'switch' }
  | { readonly kind: 'download' }
  | { readonly kind: 'refuse'; readonly text: string };

/*
 *   asked for                             | decision
 *   no version                            | refuse
 *   anything, while a version is on trial | refuse
 *   the running version                   | none
 *   the version that ran before           | switch
 *   an older one                          | refuse: a controller that somebody took over must not bring back old faults
 *   a newer one                           | download
 */
/** Decides about a request of the controller. Pure. */
export function decideUpgrade(now: {
  readonly asked: string;
  readonly running: string;
  /** The version that ran before and is on the disk; undefined: none. */
  readonly previous: string | undefined;
  readonly isOnTrial: boolean;
}): UpgradeDecision {
  const { asked, running, previous, isOnTrial } = now;
  if (!isVersion(asked)) return { kind: 'refuse', text: 'the controller named no version' };
  if (isOnTrial)
    return { kind: 'refuse', text: `version ${running} has just started and is not confirmed yet` };
  if (asked === running) return { kind: 'none' };
  if (asked === previous) return { kind: 'switch' };
  if (compareVersions(asked, running) > 0) return { kind: 'download' };
  const back = previous === undefined ? '' : `; the agent goes back to ${previous} only`;
  return { kind: 'refuse', text: `version ${asked} is older than the running ${running}${back}` };
}
