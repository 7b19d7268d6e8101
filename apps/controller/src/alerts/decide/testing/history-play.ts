import { type AlertState, decide, flappingWindowUs, type Schedule, type ScheduleStep } from '@vantage/alerts';
import { applyChanges } from '../apply-changes.ts';
import type { AlertChange } from '../changes.ts';
import type { OpenAlert } from '../open-alert.ts';

/** One minute; a play has a tick each minute. */
const minuteUs = 60_000_000;
const recheckMinutes = 5;

/** A span of time in minutes: from, to (exclusive). */
export type Span = readonly [number, number];

/** The script of a play. Times are minutes from its begin. */
export interface Script {
  /** Minutes in which the device is Down. */
  readonly outages: readonly Span[];
  readonly steps: readonly ScheduleStep[];
  /** The controller is dead: it learns nothing, decides nothing and sends nothing. */
  readonly dead: readonly Span[];
  /** It takes results in and decides nothing: it is killed between commit and decision. */
  readonly undecided: readonly Span[];
  /** Messages to this contact are stored and not attempted. */
  readonly unsent: readonly { readonly contact: string; readonly span: Span }[];
}

/** A message of a play. */
export interface Said {
  readonly contact: string;
  readonly about: 'opening' | 'flapping' | 'end' | 'closed' | 'acknowledged';
  readonly decided: number;
  readonly delivered: number;
}

/** An outage as the controller knew it; `confirmed` and `upAt` are null where that never happened. */
export interface KnownOutage {
  readonly downAt: number;
  confirmed: number | null;
  upAt: number | null;
}

/** The outcome of a play. */
export interface Played {
  readonly said: readonly Said[];
  readonly outages: readonly KnownOutage[];
  /** Ticks at which the controller decided. */
  readonly decidedAt: ReadonlySet<number>;
  readonly openAlerts: number;
  readonly end: number;
}

interface Stored extends OpenAlert {
  closedAt: number | null;
}

interface Waiting {
  readonly alert: Stored;
  readonly contact: string;
  readonly about: Said['about'];
  readonly decided: number;
}

const inside = (spans: readonly Span[], at: number) => spans.some(([from, to]) => at >= from && at < to);

/** Plays the history of one device through the product's pure functions, with a store and deliveries in memory. */
export function play(script: Script): Played {
  const { outages, dead, undecided, unsent } = script;
  const schedule: Schedule = { timezone: 'UTC', steps: script.steps };
  const changes = outages.flatMap(([from, to]) => [
    { at: from, kind: 'down' as const },
    { at: to, kind: 'up' as const },
  ]);
  const end = (outages.at(-1)?.[1] ?? 0) + 200;
  const store: Stored[] = [];
  let queue: Waiting[] = [];
  const said: Said[] = [];
  const known: KnownOutage[] = [];
  const decidedAt = new Set<number>();
  let isDown = false;
  let next = 0;
  for (let at = 0; at < end; at += 1) {
    if (inside(dead, at)) continue;
    for (let change = changes[next]; change !== undefined && change.at <= at; change = changes[next]) {
      next += 1;
      isDown = change.kind === 'down';
      if (isDown) known.push({ downAt: at, confirmed: null, upAt: null });
      else Object.assign(known.at(-1) ?? {}, { upAt: at });
      queue = take({ kind: change.kind, sinceUs: change.at * minuteUs }, store, queue, at);
    }
    if (!inside(undecided, at)) {
      decidedAt.add(at);
      const outage = known.at(-1);
      if (isDown && outage !== undefined) outage.confirmed ??= at;
      queue.push(...decideAll(store, { schedule, isDown, at }));
    }
    const leaving = queue.filter(
      ({ contact }) => !unsent.some((one) => one.contact === contact && inside([one.span], at)),
    );
    queue = queue.filter((one) => !leaving.includes(one));
    said.push(...leaving.map(({ alert: _alert, ...message }) => ({ ...message, delivered: at })));
  }
  const openAlerts = store.filter(({ closedAt }) => closedAt === null).length;
  return { said, outages: known, decidedAt, openAlerts, end };
}

/** Applies one change, as the transaction of its event does. Returns the messages that still wait. */
function take(
  { kind, sinceUs }: { readonly kind: 'down' | 'up'; readonly sinceUs: number },
  store: Stored[],
  queue: readonly Waiting[],
  at: number,
): Waiting[] {
  const nowUs = at * minuteUs;
  const recent = store.flatMap((alert) => {
    const { activeUs, past } = alert.state;
    const { sinceUs } = alert;
    if (!alert.endedUp || (activeUs ?? sinceUs) <= nowUs - flappingWindowUs) return [];
    const upUs = Number(alert.ending?.['At']);
    const outages = [...past, ...(activeUs === null ? [] : [{ activeUs, sinceUs, upUs }])];
    return outages.map((outage) => ({ ...outage, alertNo: alert.alertNo ?? 0 }));
  });
  const device = {
    deviceNo: 1,
    deviceId: 'd',
    shortName: 'web',
    fullName: null,
    severity: 'critical' as const,
    recent,
  };
  const open = store.filter(({ closedAt }) => closedAt === null);
  const unsaid = kind === 'down' && open.length === 0 ? queue.filter(({ about }) => about === 'end') : [];
  const latest = unsaid.at(-1)?.alert;
  const withdrawn = unsaid.filter(({ alert }) => alert === latest);
  if (latest !== undefined) {
    latest.state = { ...latest.state, notified: withdrawn.map(({ contact }) => contact) };
    open.push(latest);
  }
  for (const alert of open) Object.assign(alert, { device });
  const change: AlertChange = {
    kind,
    accountNo: 1,
    deviceNo: 1,
    sinceUs,
    locationNo: 1,
    agentNo: 1,
    isLate: false,
    facts: {},
  };
  const context = { devices: new Map([[1, device]]), open, flappingWindowUs, nowUs };
  for (const alert of applyChanges([change], context).alerts) {
    const stored = store.find((one) => one === alert);
    if (stored === undefined) store.push({ ...alert, alertNo: store.length + 1, closedAt: null });
    else if (alert.isReopened) Object.assign(stored, { closedAt: null, isReopened: false });
  }
  return queue.filter((one) => !withdrawn.includes(one));
}

function decideAll(
  store: readonly Stored[],
  { schedule, isDown, at }: { readonly schedule: Schedule; readonly isDown: boolean; readonly at: number },
): Waiting[] {
  const nowUs = at * minuteUs;
  return store.flatMap((alert) => {
    if (alert.dueUs === null || alert.dueUs > nowUs) return [];
    const decision = decide(alert.state, factsOf(schedule, isDown, nowUs));
    alert.state = decision.state satisfies AlertState;
    alert.dueUs = decision.closes ? null : decision.dueUs;
    if (decision.closes) alert.closedAt = at;
    return decision.messages.flatMap(({ about, contactIds }) =>
      contactIds.map((contact) => ({ alert, contact, about, decided: at })),
    );
  });
}

function factsOf(schedule: Schedule, isDown: boolean, nowUs: number): Parameters<typeof decide>[1] {
  return {
    device: {
      enabled: true,
      status: isDown ? 'Down' : 'Up',
      isChecked: true,
      isPartial: false,
      maintenanceUntilUs: null,
      canBeChecked: true,
      retries: 0,
      retryDelayUs: 0,
      maxConfirmUs: recheckMinutes * minuteUs,
      master: null,
      masterWasDown: false,
    },
    check: { kind: 'none' },
    schedule,
    severity: 'critical',
    reason: null,
    acknowledged: false,
    snoozedUntilUs: null,
    isMoment: false,
    times: { minuteUs, recheckUs: recheckMinutes * minuteUs, quietUs: flappingWindowUs },
    nowUs,
    isAboutPartial: false,
    isWarning: false,
    isLocationDeleted: false,
  };
}
