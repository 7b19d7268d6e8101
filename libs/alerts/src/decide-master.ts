import type { BaseStatus } from '@vantage/domain';

/** The present state of a requested check. */
export type RequestedCheck =
  | { readonly kind: 'none' }
  | { readonly kind: 'open'; readonly deadlineUs: number }
  /** The agent did not answer in time. */
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'answered'; readonly verdict: 'good' | 'bad' | 'inconclusive'; readonly endUs: number };

/** The facts about a master that decide about the alerts of its dependents. */
export interface MasterFacts {
  readonly name: string;
  readonly enabled: boolean;
  readonly status: BaseStatus;
  /** Its retry sequence runs. */
  readonly retrying: boolean;
  readonly inMaintenance: boolean;
  /** The Location where the device failed checks the master too. Otherwise a check there is a one-off. */
  readonly isCheckedHere: boolean;
  /** An agent with a failed check of the device can check the master now. */
  readonly canBeChecked: boolean;
  readonly retries: number;
  readonly retryDelayUs: number;
  /** The maximum duration of the master's retry sequence. */
  readonly maxSequenceUs: number;
}

/** The verdict of the master on the alert. */
export type MasterDecision =
  /** `isBack`: the master failed, and its check succeeds again. */
  | { readonly kind: 'send'; readonly note: string | null; readonly isBack: boolean }
  | { readonly kind: 'suppress'; readonly detail: string; readonly isDown: boolean }
  | { readonly kind: 'request'; readonly notBeforeUs: number }
  /** `fails`: waits for the end of the master's retry sequence; otherwise for an answer. */
  | { readonly kind: 'wait'; readonly untilUs: number; readonly fails: boolean };

/*
 * The first row that fits decides. "Check" is a check of the master that starts after the device's first error, by the
 * Location and agent whose check of the device failed.
 *
 *   master                                            | alert of the device
 *   none                                              | sent
 *   paused                                            | sent, "master not verified"
 *   Down (no good check since)                        | suppressed
 *   no check yet, an agent can run it                 | waits for the check
 *   no check yet, no agent can run it                 | sent, "master not verified"
 *   check not answered, its own retry sequence runs   | waits for the end of the sequence
 *   check not answered within Timeout + 5 s           | sent, "master not verified"
 *   check inconclusive                                | sent, "master not verified"
 *   check good                                        | sent
 *   check failed, in maintenance                      | suppressed
 *   check failed, its own retry sequence runs         | waits for the end of the sequence
 *   check failed, its retry sequence recovered        | sent, if a check of the device still fails
 *   check failed, Unknown or its sequence never ends  | sent, "master not verified"
 *   one-off failed, fewer than 1 + Retries of them    | waits for the next one-off, RetryDelay later
 *   one-off failed 1 + Retries times                  | suppressed
 */

/** Decides about an alert of a dependent. Pure. */
export function decideMaster(
  master: MasterFacts | null,
  check: RequestedCheck,
  at: JudgedAt,
): MasterDecision {
  if (master === null) return { kind: 'send', note: null, isBack: false };
  const { name } = master;
  const unverified = (why: string) => ({
    kind: 'send' as const,
    note: `master ${name} not verified: ${why}`,
    isBack: at.failed > 0,
  });
  if (!master.enabled) return unverified('it is paused');
  if (master.status === 'Down')
    return { kind: 'suppress', detail: `its master ${name} is Down`, isDown: true };
  switch (check.kind) {
    case 'none':
      return master.canBeChecked
        ? { kind: 'request', notBeforeUs: 0 }
        : unverified('no agent that saw the failure is connected');
    case 'open':
      if (at.nowUs <= check.deadlineUs) return { kind: 'wait', untilUs: check.deadlineUs + 1, fails: false };
      return master.retrying ? whileRetrying(master, at, unverified) : unverified(unanswered);
    case 'unanswered':
      return master.retrying ? whileRetrying(master, at, unverified) : unverified(unanswered);
    case 'answered':
      if (check.verdict === 'good') return { kind: 'send', note: null, isBack: false };
      if (check.verdict === 'inconclusive') return unverified('its check was inconclusive');
      return afterFailure(master, { ...at, endUs: check.endUs }, unverified);
  }
}

const unanswered = 'its check was not answered in time';

type Unverified = (why: string) => Extract<MasterDecision, { readonly kind: 'send' }>;

interface JudgedAt {
  /** The number of requested checks that failed. */
  readonly failed: number;
  /** The start of judging. */
  readonly sinceUs: number;
  readonly nowUs: number;
}

function afterFailure(
  master: MasterFacts,
  at: JudgedAt & { readonly endUs: number },
  unverified: Unverified,
): MasterDecision {
  const { name, retries, retryDelayUs } = master;
  if (master.inMaintenance)
    return { kind: 'suppress', detail: `its master ${name} is in maintenance and fails`, isDown: false };
  if (!master.isCheckedHere) {
    return at.failed > retries
      ? { kind: 'suppress', detail: `its master ${name} fails from the same Location`, isDown: false }
      : { kind: 'request', notBeforeUs: at.endUs + retryDelayUs };
  }
  if (master.retrying) return whileRetrying(master, at, unverified);
  return master.status === 'Unknown'
    ? { ...unverified('it is Unknown'), isBack: false }
    : { kind: 'send', note: null, isBack: true };
}

function whileRetrying(
  { maxSequenceUs }: MasterFacts,
  { sinceUs, nowUs }: JudgedAt,
  unverified: Unverified,
): MasterDecision {
  const untilUs = sinceUs + maxSequenceUs;
  return nowUs < untilUs
    ? { kind: 'wait', untilUs, fails: true }
    : unverified('its retry sequence did not end');
}
