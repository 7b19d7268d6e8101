import { compareVersions, isVersion } from '@vantage/domain';

/** The decision about a request to run another version. `text`: for the operator. */
type UpgradeDecision =
  /** The version runs already. */
  | { readonly kind: 'none' }
  /** The previous version, which is still on the disk. */
  | { readonly kind: 'switch' }
  | { readonly kind: 'download' }
  | { readonly kind: 'refuse'; readonly text: string };

/*
 *   requested                             | decision
 *   no version                            | refuse
 *   anything, while a version is on trial | refuse
 *   the running version                   | none
 *   the previous version                  | switch
 *   an older one                          | refuse: an attacker in control of the controller must not bring back old faults
 *   a newer one                           | download
 */
/** Decides about a request of the controller. Pure. */
export function decideUpgrade(now: {
  readonly requested: string;
  readonly running: string;
  /** The previous version, if it is on the disk; undefined: none. */
  readonly previous: string | undefined;
  readonly isOnTrial: boolean;
}): UpgradeDecision {
  const { requested, running, previous, isOnTrial } = now;
  if (!isVersion(requested)) return { kind: 'refuse', text: 'the controller named no version' };
  if (isOnTrial)
    return { kind: 'refuse', text: `version ${running} has just started and is not confirmed yet` };
  if (requested === running) return { kind: 'none' };
  if (requested === previous) return { kind: 'switch' };
  if (compareVersions(requested, running) > 0) return { kind: 'download' };
  const back = previous === undefined ? '' : `; the agent goes back to ${previous} only`;
  return { kind: 'refuse', text: `version ${requested} is older than the running ${running}${back}` };
}
