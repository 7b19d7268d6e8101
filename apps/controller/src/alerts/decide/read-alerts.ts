import {
  type AlertKind,
  joinSchedules,
  type RequestedCheck,
  type Schedule,
  scheduleOfKind,
} from '@vantage/alerts';
import { parseSteps } from '@vantage/alerts/stored-steps';
import { type Logger, messageOf } from '@vantage/kernel';
import { pipelined, type Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { type StoredNotificationSchedule, schedulesOf } from './alert-schedule-store.ts';
import type { DueAlert } from './due-store.ts';
import { requestedChecks } from './requested-checks.ts';
import { readAlertState, readKind, readSeverity } from './stored-alert-facts.ts';
import { locationsOf, type SubjectRow, subjectsOf } from './subject-store.ts';

/** An alert with all facts that decide about it. */
export interface ReadAlert {
  readonly alert: DueAlert;
  readonly kind: AlertKind;
  readonly state: ReturnType<typeof readAlertState>;
  readonly subject: SubjectRow | undefined;
  readonly schedule: Schedule | 'unreadable' | null;
  readonly check: RequestedCheck;
  readonly location: { readonly name: string; readonly isDeleted: boolean } | null;
}

export async function readFactsOf(
  trx: Kysely<Tables>,
  alerts: readonly DueAlert[],
  nowUs: number,
  { log }: { readonly log: Logger },
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
  return alerts.flatMap((alert, index) => {
    const [state, kind] = [states[index], readKind(alert.kind)];
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
  stored: readonly StoredNotificationSchedule[],
  log: Logger,
): Schedule | 'unreadable' | null {
  const schedules = stored.flatMap((schedule) => readSchedule(alert, schedule, log) ?? []);
  return joinSchedules(schedules, readSeverity(alert.severity)) ?? 'unreadable';
}

/** A schedule that cannot be read counts as none, and stops no other alert. */
function readSchedule(
  { alert_id: alertId, kind }: DueAlert,
  { timezone, steps }: StoredNotificationSchedule,
  log: Logger,
): Schedule | null {
  try {
    return scheduleOfKind({ timezone, steps: parseSteps(steps) }, kind);
  } catch (error) {
    log.error({ alertId, error: messageOf(error) }, 'a notification schedule cannot be read');
    return null;
  }
}
