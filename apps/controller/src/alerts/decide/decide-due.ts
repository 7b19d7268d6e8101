import {
  type AlertDecision,
  type AlertKind,
  decide,
  joinSchedules,
  type NewNotification,
  type RequestedCheck,
  type Schedule,
  scheduleOfKind,
} from '@vantage/alerts';
import { hourUs, secondUs } from '@vantage/domain';
import { type Logger, messageOf } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import { pipelined, type Tables } from '../../platform/db/index.ts';
import { parseSteps } from '../../platform/db/stored-steps.ts';
import type { RecordEvents } from '../../status/events/record-events.ts';
import { readAlertState, readKind, readSeverity, type StepTimes, toFacts } from './alert-facts.ts';
import {
  type ContactRow,
  claimDue,
  contactsOf,
  type DecidedAlert,
  type DueAlert,
  locationsOf,
  postpone,
  type StoredSchedule,
  type SubjectRow,
  schedulesOf,
  subjectsOf,
  writeDecided,
} from './due-store.ts';
import { acceptedBy, eventCause, type MessageContext, messageKind, notificationsFor } from './messages.ts';
import { type CreateRunRequests, requestCheck, requestedChecks } from './request-check.ts';
import { noSurroundings, surroundingsOf } from './surroundings.ts';

/** Stores notifications in the transaction of the decision. */
export type Enqueue = (trx: Kysely<Tables>, rows: readonly NewNotification[], nowUs: number) => Promise<void>;

/**
 * Withdraws messages that nobody tried to send yet, in the transaction of the decision and before it stores others: all
 * of an alert, or (`repeatsOf`) those of this kind besides the first one to each contact.
 */
export type Withdraw = (
  trx: Kysely<Tables>,
  asks: readonly { readonly alertNo: number; readonly repeatsOf: AlertKind | null }[],
  nowUs: number,
) => Promise<void>;

/** The parts that deciding needs besides the database. */
export interface DecideDeps {
  readonly times: StepTimes;
  readonly log: Logger;
  readonly recordEvents: RecordEvents;
  readonly enqueue: Enqueue;
  readonly withdraw: Withdraw;
  readonly createRunRequests: CreateRunRequests;
}

/** An agent that could run a check a moment ago is gone: the alert is decided again after this time, microseconds. */
const againUs = secondUs;
/**
 * An alert of a kind that only a later version knows waits this long for a controller of that version, microseconds.
 */
const foreignUs = hourUs;

/**
 * Decides those of these alerts that are due and that no other controller decides now. One transaction writes all that
 * follows.
 */
export async function decideDue(
  trx: Kysely<Tables>,
  alertNos: readonly number[],
  nowUs: number,
  deps: DecideDeps,
): Promise<void> {
  const alerts = await claimDue(trx, alertNos, nowUs);
  if (alerts.length === 0) return;
  const foreign = alerts.filter(({ kind }) => readKind(kind) === undefined);
  await postpone(
    trx,
    foreign.map(({ alert_no }) => alert_no),
    nowUs + foreignUs,
  );
  const read = await readFactsOf(trx, alerts, nowUs, deps);
  const decided = read.map((one) => ({
    ...one,
    decision: decide(one.state, toFacts(one.alert, { ...one, ...deps, nowUs })),
  }));
  const contacts = await readContacts(
    trx,
    decided.map(({ decision }) => decision),
  );
  const around = await surroundingsOf(trx, decided, nowUs);
  const outcomes: Outcome[] = [];
  for (const one of decided) {
    const surroundings = around.get(one.alert.alert_no) ?? noSurroundings;
    outcomes.push(await outcomeOf(trx, { ...one, surroundings }, contacts, nowUs, deps));
  }
  await deps.recordEvents(
    trx,
    outcomes.flatMap(({ events }) => events),
    nowUs,
  );
  await deps.withdraw(
    trx,
    decided.flatMap(({ alert, kind, decision: { withdraws } }) =>
      withdraws === null
        ? []
        : [{ alertNo: alert.alert_no, repeatsOf: withdraws === 'repeats' ? kind : null }],
    ),
    nowUs,
  );
  await deps.enqueue(
    trx,
    outcomes.flatMap(({ notifications }) => notifications),
    nowUs,
  );
  await writeDecided(
    trx,
    outcomes.map(({ row }) => row),
  );
}

/** An alert with all that decides about it. */
interface ReadAlert {
  readonly alert: DueAlert;
  readonly kind: AlertKind;
  readonly state: ReturnType<typeof readAlertState>;
  readonly subject: SubjectRow | undefined;
  readonly schedule: Schedule | 'unreadable' | null;
  readonly check: RequestedCheck;
  readonly location: { readonly name: string; readonly isDeleted: boolean } | null;
}

async function readFactsOf(
  trx: Kysely<Tables>,
  alerts: readonly DueAlert[],
  nowUs: number,
  { log }: DecideDeps,
): Promise<ReadAlert[]> {
  const states = alerts.map((alert) => readAlertState(alert.state, nowUs));
  const [subjects, schedules, checks, locations] = await pipelined(trx, (pipe) => [
    subjectsOf(pipe, alerts, nowUs),
    schedulesOf(
      pipe,
      alerts.map(({ alert_no }) => alert_no),
    ),
    requestedChecks(
      pipe,
      states.flatMap(({ requestId }) => requestId ?? []),
    ),
    locationsOf(
      pipe,
      alerts.flatMap(({ location_no }) => location_no ?? []),
    ),
  ]);
  return alerts.flatMap((alert, place) => {
    const [state, kind] = [states[place], readKind(alert.kind)];
    if (state === undefined || kind === undefined) return [];
    const stored = schedules.get(alert.alert_no);
    return [
      {
        alert,
        kind,
        state,
        subject: subjects.get(alert.alert_no),
        schedule: stored === undefined ? null : readSchedules(alert, stored, log),
        check: (state.requestId === null ? undefined : checks.get(state.requestId)) ?? { kind: 'none' },
        location: alert.location_no === null ? null : (locations.get(alert.location_no) ?? null),
      },
    ];
  });
}

function readSchedules(
  alert: DueAlert,
  stored: readonly StoredSchedule[],
  log: Logger,
): Schedule | 'unreadable' | null {
  const schedules = stored.flatMap((one) => readSchedule(alert, one, log) ?? []);
  return joinSchedules(schedules, readSeverity(alert.severity)) ?? 'unreadable';
}

/** A schedule that cannot be read notifies nobody, closes nothing, and stops no other alert. */
function readSchedule(
  { alert_id: alertId, kind }: DueAlert,
  { timezone, steps }: StoredSchedule,
  log: Logger,
): Schedule | null {
  try {
    return scheduleOfKind({ timezone, steps: parseSteps(steps) }, kind);
  } catch (error) {
    log.error({ alertId, error: messageOf(error) }, 'a notification schedule cannot be read');
    return null;
  }
}

async function readContacts(
  trx: Kysely<Tables>,
  decisions: readonly AlertDecision[],
): Promise<ReadonlyMap<string, ContactRow>> {
  const ids = decisions.flatMap(({ messages }) => messages.flatMap(({ contactIds }) => contactIds));
  const rows = await contactsOf(trx, [...new Set(ids)]);
  return new Map(rows.map((row) => [row.contactId, row]));
}

interface Outcome {
  readonly row: DecidedAlert;
  readonly events: readonly ReturnType<typeof eventCause>[];
  readonly notifications: readonly NewNotification[];
}

async function outcomeOf(
  trx: Kysely<Tables>,
  {
    decision,
    ...one
  }: ReadAlert & { readonly decision: AlertDecision; readonly surroundings: MessageContext['surroundings'] },
  contacts: ReadonlyMap<string, ContactRow>,
  nowUs: number,
  { times, createRunRequests }: DecideDeps,
): Promise<Outcome> {
  const { alert, subject, state: before } = one;
  const sinceUs = sinceOf(one, decision);
  const locationName = one.location?.name ?? null;
  const { reason, state: decided } = decision;
  const { flapping, past } = decided;
  const context = { ...one, locationName, sinceUs, reason, flapping, past, contacts, nowUs };
  const notified = notifiedBy(context, before.notified, decision);
  let state = { ...decision.state, notified };
  let dueUs = decision.closes ? null : decision.dueUs;
  if (decision.request !== null && subject !== undefined) {
    const ask = { alert, subject, state, request: decision.request, graceUs: times.graceUs, nowUs };
    const sent = await requestCheck(trx, ask, createRunRequests);
    state = { ...state, requestId: sent?.requestId ?? null };
    dueUs = sent === undefined ? nowUs + againUs : sent.deadlineUs + 1;
  }
  return {
    row: {
      alertNo: alert.alert_no,
      state,
      dueUs,
      reason: decision.reason,
      sinceUs,
      closedUs: alert.closed_us ?? (decision.closes ? nowUs : null),
    },
    events: decision.events.map((event) => eventCause(event, context)),
    notifications: decision.messages.flatMap((message) => notificationsFor(message, context)),
  };
}

/** Everyone who was notified before, and the contacts that get the opening message now. */
function notifiedBy(
  context: MessageContext,
  before: readonly string[],
  { messages }: AlertDecision,
): string[] {
  const now = messages
    .filter(({ about }) => about === 'opening' || about === 'flapping')
    .flatMap(({ about, contactIds }) =>
      acceptedBy(context, contactIds, messageKind(context.kind, about) ?? context.kind),
    );
  return [...new Set([...before, ...now.map(({ contactId }) => contactId)])];
}

/** An outage that outlasts a maintenance begins at its end. One in which a flapping ends begins with itself. */
function sinceOf({ alert, state, subject }: ReadAlert, decision: AlertDecision): number {
  if (state.flapping !== null && decision.state.flapping === null)
    return state.flapping.downSinceUs ?? alert.since_us;
  const isOver = state.phase === 'maintenance' && decision.state.phase !== 'maintenance';
  return isOver ? Math.max(alert.since_us, subject?.maintenanceEndedUs ?? 0) : alert.since_us;
}
