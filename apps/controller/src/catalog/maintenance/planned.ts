import { dayUs, secondUs } from '@vantage/domain';
import { nextOccurrences, occurrenceId } from '@vantage/health';
import type { MaintenanceRow, UsedSchedule } from './store.ts';

/** Occurrences are listed so far ahead, microseconds, and at most so many of one schedule. */
const aheadUs = 62 * dayUs;
const mostOfSchedule = 100;

/**
 * The occurrences of these schedules that begin after now, cancelled ones left out, in the order of their begin. Pure.
 */
export function plannedMaintenance(
  schedules: readonly UsedSchedule[],
  nowUs: number,
): readonly MaintenanceRow[] {
  return schedules
    .flatMap((schedule) => occurrencesOf(schedule, nowUs))
    .sort((a, b) => a.from_us - b.from_us || (a.maintenance_id < b.maintenance_id ? -1 : 1));
}

function occurrencesOf(schedule: UsedSchedule, nowUs: number): readonly MaintenanceRow[] {
  const { timezone, start_local: startLocal, duration_s, recurrence } = schedule;
  const rule = { timezone, startLocal, durationUs: duration_s * secondUs, recurrence };
  const cancelled = new Set(schedule.cancelled_us);
  return nextOccurrences(rule, nowUs, mostOfSchedule).flatMap(({ window }) =>
    window === undefined ||
    window.fromUs <= nowUs ||
    window.fromUs > nowUs + aheadUs ||
    cancelled.has(window.fromUs)
      ? []
      : [
          {
            maintenance_id: occurrenceId(schedule.mschedule_no, window.fromUs),
            source: 'schedule',
            plannedBy: schedule.mschedule_no,
            mschedule_id: schedule.mschedule_id,
            from_us: window.fromUs,
            to_us: window.toUs,
            reason: null,
            started_by: null,
            devices: schedule.devices,
            device_ids: schedule.device_ids,
          },
        ],
  );
}
