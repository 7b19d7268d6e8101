import type { Schemas } from '@vantage/client';
import { type PlannedMessage, plannedMessages } from '../model/planned-messages.ts';
import type { Alert } from './alerts.ts';
import { api, ifMay, isNotFound, take, takeAnswer } from './api.ts';
import { serverNow } from './clock.ts';

/** An alert with the facts of its story. */
export interface AlertStoryFacts {
  readonly alert: Alert;
  /** Newest first. */
  readonly events: readonly Schemas['Event'][];
  /** There are more events than are read. */
  readonly isCut: boolean;
  /** The settings of its device; undefined: it has none, or the device was deleted. */
  readonly device: Schemas['Device'] | undefined;
  /** The schedule that its messages follow; undefined: none, or the session may not see it. */
  readonly schedule: Schemas['NotificationSchedule'] | undefined;
  readonly planned: readonly PlannedMessage[];
}

const maxEvents = 100;
/** Events of the end of an alert are recorded a moment after it. */
const afterMs = 5_000;

const maybe = <Data>(reading: Promise<Data>): Promise<Data | undefined> =>
  reading.catch((problem: unknown) => {
    if (isNotFound(problem)) return undefined;
    throw problem;
  });

/** Reads an alert with its events, and the messages that are still to come. */
export async function readStory(alert_id: string): Promise<AlertStoryFacts> {
  const alert = await take(api.GET('/alerts/{alert_id}', { params: { path: { alert_id } } }));
  const { device_id } = alert;
  const [events, device] = await Promise.all([
    readEventsOf(alert),
    device_id === null
      ? undefined
      : maybe(take(api.GET('/devices/{device_id}', { params: { path: { device_id } } }))),
  ]);
  const { schedule, planned } = await readPlanned(alert, device);
  return { alert, events: events.data, isCut: events.hasMore, device, schedule, planned };
}

async function readEventsOf({ device_id, location_id, Kind, Since, Closed }: Alert) {
  const none = { data: [], hasMore: false };
  const about =
    device_id !== null
      ? { Device: [device_id] }
      : location_id !== null && /^(location|anchor|agent)/.test(Kind)
        ? { Location: [location_id] }
        : undefined;
  if (about === undefined) return none;
  const query = {
    ...about,
    Timestamp1: Since,
    ...(Closed === null ? {} : { Timestamp2: new Date(Date.parse(Closed) + afterMs).toISOString() }),
    Limit: maxEvents,
  };
  return (await maybe(takeAnswer(api.GET('/events', { params: { query } })))) ?? none;
}

/** Whether an alert waits for its cause, so that it sends nothing. */
const isHeldBack = ({ State, Kind, Notifications, Reason }: Alert) =>
  State !== 'Closed' && Kind.startsWith('device.') && Notifications.length === 0 && Reason !== null;

/** The messages of an alert that are still to come. */
export async function readPlanned(
  alert: Alert,
  device: Schemas['Device'] | undefined,
): Promise<Pick<AlertStoryFacts, 'schedule' | 'planned'>> {
  const none = { schedule: undefined, planned: [] };
  if (alert.State === 'Closed' || isHeldBack(alert)) return none;
  const nschedule_id = await scheduleIdOf(alert, device);
  if (nschedule_id === null) return none;
  const schedule = await ifMay(
    maybe(take(api.GET('/nschedules/{nschedule_id}', { params: { path: { nschedule_id } } }))),
  );
  if (schedule === undefined || schedule.Steps.length === 0) return { ...none, schedule };
  const body = {
    Steps: schedule.Steps,
    Timezone: schedule.Timezone,
    At: alert.Opened,
    Severity: alert.Severity,
    Kind: alert.Kind,
  };
  const preview = await ifMay(take(api.POST('/nschedules/preview', { body })));
  return { schedule, planned: plannedMessages(alert, preview ?? [], serverNow()) };
}

async function scheduleIdOf(
  { location_id, device_id }: Alert,
  device: Schemas['Device'] | undefined,
): Promise<string | null> {
  if (device?.nschedule_id != null) return device.nschedule_id;
  const account = await take(api.GET('/account'));
  if (device_id !== null || location_id === null) return account.nschedule_id;
  const found = await maybe(take(api.GET('/locations/{location_id}', { params: { path: { location_id } } })));
  return found?.nschedule_id ?? account.nschedule_id;
}
