/** The facts of an account from which the first steps are computed. Undefined: the session may not see them. */
export interface ChecklistFacts {
  readonly devices: number;
  readonly onlineLocations: number;
  readonly notified: NotifiedFacts | undefined;
  readonly people: { readonly accepted: number; readonly invited: number } | undefined;
  readonly pages: number | undefined;
  readonly backup: { readonly madeMs: number | null; readonly maxDays: number | null } | undefined;
}

/** The people whom the default notification schedule notifies. */
export interface NotifiedFacts {
  /** Names of contacts that get messages. */
  readonly reached: readonly string[];
  /** Names of contacts that get none, because there is no mail server. */
  readonly withoutMail: readonly string[];
}

export const stepNames = ['watch', 'notify', 'invite', 'location', 'page', 'backup'] as const;
export type StepName = (typeof stepNames)[number];

export interface ChecklistStep {
  readonly name: StepName;
  readonly isDone: boolean;
}

const dayMs = 86_400_000;

/**
 * The first steps of an account, in their order. A step is done while its fact holds, and opens again when it does not;
 * nothing is remembered. Steps whose facts the session may not see are left out.
 */
export function checklistOf(facts: ChecklistFacts, nowMs: number): readonly ChecklistStep[] {
  const { devices, onlineLocations, notified, people, pages, backup } = facts;
  const done: Readonly<Record<StepName, boolean | undefined>> = {
    watch: devices > 0,
    notify: notified && notified.reached.length > 0,
    invite: people && people.accepted > 0,
    location: onlineLocations > 1,
    page: pages === undefined ? undefined : pages > 0,
    backup: backup && isBackedUp(backup, nowMs),
  };
  return stepNames.flatMap((name) => {
    const isDone = done[name];
    return isDone === undefined ? [] : [{ name, isDone }];
  });
}

/** A limit of 0 days means that backups are made by other means. */
function isBackedUp({ madeMs, maxDays }: NonNullable<ChecklistFacts['backup']>, nowMs: number): boolean {
  if (maxDays === 0) return true;
  if (madeMs === null) return false;
  return maxDays === null || nowMs - madeMs <= maxDays * dayMs;
}

interface ScheduleFacts {
  readonly nschedule_id: string;
  readonly Steps: readonly { readonly Contacts: readonly string[] }[];
}

interface ContactFacts {
  readonly contact_id: string;
  readonly Name: string;
  readonly Type: string;
  readonly Shadow: boolean;
}

/**
 * Whom the default schedule notifies. `hasMailServer` undefined: the session may not see it, so e-mail counts as
 * working. Pure.
 */
export function notifiedFacts(
  defaultId: string | null,
  schedules: readonly ScheduleFacts[],
  contacts: readonly ContactFacts[],
  hasMailServer: boolean | undefined,
): NotifiedFacts {
  const schedule = schedules.find(({ nschedule_id }) => nschedule_id === defaultId);
  const ids = new Set(schedule?.Steps.flatMap((step) => step.Contacts));
  const named = contacts.filter(({ contact_id, Shadow }) => ids.has(contact_id) && !Shadow);
  const isReached = ({ Type }: ContactFacts) => Type !== 'email' || hasMailServer !== false;
  const namesOf = (found: readonly ContactFacts[]) => found.map(({ Name }) => Name);
  return {
    reached: namesOf(named.filter(isReached)),
    withoutMail: namesOf(named.filter((contact) => !isReached(contact))),
  };
}
