import { cleanLine, type DeviceStatus } from '@vantage/domain';
import { withKumaDatabase } from '../kuma/kuma-database.ts';
import { numberOf, recordOf, textOf } from '../values/unknown-values.ts';
import { type ReportedStatus, timeOf } from './reported-status.ts';

/** By the status of a heartbeat. */
const verdicts: readonly DeviceStatus[] = ['Down', 'Up', 'Unknown', 'Maint'];

/**
 * The last heartbeat of each monitor in kuma.db. The status began with the last important heartbeat. Kuma's times are
 * UTC.
 */
export function readKumaStatuses(file: string): readonly ReportedStatus[] {
  return withKumaDatabase(file, (rows, database) => {
    const lastBeat = database.prepare(
      'SELECT status, msg FROM heartbeat WHERE monitor_id = ? ORDER BY time DESC, id DESC LIMIT 1',
    );
    const lastChange = database.prepare(
      'SELECT time FROM heartbeat WHERE monitor_id = ? AND important = 1 ORDER BY time DESC, id DESC LIMIT 1',
    );
    return rows('monitor').flatMap((row) => {
      const monitor = recordOf(row) ?? {};
      const id = numberOf(monitor['id']);
      if (id === undefined || monitor['type'] === 'group') return [];
      const beat = lastBeat.get(id);
      const time = textOf(lastChange.get(id)?.['time']);
      const isPaused = numberOf(monitor['active']) === 0;
      return [
        {
          ids: [`kuma-${id}`],
          name: textOf(monitor['name']) ?? `monitor ${id}`,
          verdict: isPaused ? 'Unknown' : (verdicts[numberOf(beat?.['status']) ?? 2] ?? 'Unknown'),
          sinceMs: time === undefined ? undefined : timeOf(`${time.replace(' ', 'T')}Z`),
          why: cleanLine(textOf(beat?.['msg']) ?? ''),
        },
      ];
    });
  });
}
