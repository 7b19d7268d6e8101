import { type AlertDecision, decide, type NewNotification } from '@vantage/alerts';
import { hourUs, secondUs } from '@vantage/domain';
import type { Logger } from '@vantage/kernel';
import { maxWaitUs, type Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import type { RecordEvents } from '../../results/events/record-events.ts';
import type { Enqueue } from '../deliver/enqueue.ts';
import type { Withdraw } from '../deliver/withdraw.ts';
import { type AlertContact, contactsOf } from './alert-contact-store.ts';
import { eventCause, messageKind, notificationsFor } from './alert-messages.ts';
import { claimDue, type DecidedAlert, postpone, writeDecided } from './due-store.ts';
import type { MessageContext } from './message-facts.ts';
import { acceptedBy } from './message-receivers.ts';
import { type ReadAlert, readFactsOf } from './read-alerts.ts';
import { type CreateRunRequests, requestCheck } from './request-check.ts';
import { readKind, type StepTimes, toFacts } from './stored-alert-facts.ts';
import { noSurroundings, surroundingsOf } from './surroundings.ts';

export interface DecideDeps {
  readonly times: StepTimes;
  readonly log: Logger;
  readonly recordEvents: RecordEvents;
  readonly enqueue: Enqueue;
  readonly withdraw: Withdraw;
  readonly createRunRequests: CreateRunRequests;
}

/** When the agent of a check has disconnected, the alert is decided again after this time, microseconds. */
const againUs = secondUs;
/**
 * An alert of a kind that only a later version knows waits this long for a controller of that version, microseconds.
 */
const foreignUs = hourUs;

/**
 * Decides the alerts that are due and that no other controller decides now. One transaction writes all results.
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
  const decided = read.map((alert) => ({
    ...alert,
    decision: decide(alert.state, toFacts(alert.alert, { ...alert, ...deps, nowUs })),
  }));
  const contacts = await readContacts(
    trx,
    decided.map(({ decision }) => decision),
  );
  const around = await surroundingsOf(trx, decided, nowUs);
  const outcomes: AlertOutcome[] = [];
  for (const alert of decided) {
    const surroundings = around.get(alert.alert.alert_no) ?? noSurroundings;
    outcomes.push(await outcomeOf(trx, { ...alert, surroundings }, contacts, nowUs, deps));
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

async function readContacts(
  trx: Kysely<Tables>,
  decisions: readonly AlertDecision[],
): Promise<ReadonlyMap<string, AlertContact>> {
  const ids = decisions.flatMap(({ messages }) => messages.flatMap(({ contactIds }) => contactIds));
  const rows = await contactsOf(trx, [...new Set(ids)]);
  return new Map(rows.map((row) => [row.contactId, row]));
}

interface AlertOutcome {
  readonly row: DecidedAlert;
  readonly events: readonly ReturnType<typeof eventCause>[];
  readonly notifications: readonly NewNotification[];
}

async function outcomeOf(
  trx: Kysely<Tables>,
  {
    decision,
    ...readAlert
  }: ReadAlert & { readonly decision: AlertDecision; readonly surroundings: MessageContext['surroundings'] },
  contacts: ReadonlyMap<string, AlertContact>,
  nowUs: number,
  { times, createRunRequests }: DecideDeps,
): Promise<AlertOutcome> {
  const { alert, subject, state: before } = readAlert;
  const sinceUs = sinceOf(readAlert, decision);
  const locationName = readAlert.location?.name ?? null;
  const { reason, state: decided } = decision;
  const { flapping, past } = decided;
  const context = { ...readAlert, locationName, sinceUs, reason, flapping, past, contacts, nowUs };
  const notified = notifiedBy(context, before.notified, decision);
  let state = { ...decision.state, notified };
  let dueUs = decision.closes ? null : decision.dueUs;
  if (decision.request !== null && subject !== undefined) {
    const ask = { alert, subject, state, request: decision.request, graceUs: times.graceUs, nowUs };
    const sent = await requestCheck(trx, ask, createRunRequests);
    state = { ...state, requestId: sent?.requestId ?? null };
    dueUs = sent === undefined ? nowUs + againUs : sent.deadlineUs + 1;
  }
  // A due time that is further ahead was stored by a clock that was ahead.
  if (dueUs !== null) dueUs = Math.min(dueUs, nowUs + maxWaitUs);
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

/** The contacts that were notified before, and those that get the opening message now. */
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

/**
 * An outage that outlasts a maintenance starts at the end of it. When a flapping ends in an outage, that outage counts.
 */
function sinceOf({ alert, state, subject }: ReadAlert, decision: AlertDecision): number {
  if (state.flapping !== null && decision.state.flapping === null)
    return state.flapping.downSinceUs ?? alert.since_us;
  const isOver = state.phase === 'maintenance' && decision.state.phase !== 'maintenance';
  return isOver ? Math.max(alert.since_us, subject?.maintenanceEndedUs ?? 0) : alert.since_us;
}
