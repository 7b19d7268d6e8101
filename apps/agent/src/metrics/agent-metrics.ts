import { secondUs } from '@vantage/domain';
import type { DiskWatch } from '@vantage/kernel';
import { createProcessMetrics, type ProcessMetrics, watchDisk } from '@vantage/kernel/metrics';

/** The sources of the metrics of the agent's process. */
export interface AgentParts {
  readonly outbox: { readonly records: number; readonly bytes: number };
  readonly assignments: { readonly all: ReadonlyMap<number, unknown> };
  readonly link: { readonly isUp: boolean };
  readonly uplink: { readonly isOnline: boolean };
  readonly meter: { readonly totals: { readonly started: number; readonly skipped: number } };
  readonly scheduler: { waitingUs(): number | undefined };
  readonly time: { nowUs(): number };
  readonly disk: Pick<DiskWatch, 'space'>;
  readonly notices: {
    readonly totals: Readonly<Record<'kept' | 'dropped' | 'unknown' | 'unmatched' | 'malformed', number>>;
  };
}

/** Creates the metrics of the agent's process. No label names a device, so the number of series does not grow. */
export function createAgentMetrics(parts: AgentParts, version: string): ProcessMetrics {
  const { outbox, assignments, link, uplink, meter, scheduler, time } = parts;
  const metrics = createProcessMetrics({ program: 'agent', version });
  metrics.gauge('vantage_link_up', '1 while the agent is connected to a controller.', () =>
    link.isUp ? 1 : 0,
  );
  metrics.gauge('vantage_uplink_online', '0 while no remote host answers.', () => (uplink.isOnline ? 1 : 0));
  metrics.gauge('vantage_assignments', 'Devices that the agent checks.', () => assignments.all.size);
  metrics.gauge('vantage_outbox_records', 'Records that are not acknowledged yet.', () => outbox.records);
  metrics.gauge('vantage_outbox_bytes', 'Bytes of the outbox on disk.', () => outbox.bytes);
  watchDisk(metrics, parts.disk);
  metrics.gauge('vantage_schedule_delay_seconds', 'How long the oldest due check waits to start.', () => {
    const dueUs = scheduler.waitingUs();
    return dueUs === undefined ? 0 : Math.max(0, time.nowUs() - dueUs) / secondUs;
  });
  metrics.counter('vantage_due_checks_total', 'Checks that fell due, by outcome.', 'outcome', () => ({
    started: meter.totals.started,
    skipped: meter.totals.skipped,
  }));
  metrics.counter(
    'vantage_notices_total',
    'Traps and lines of syslog that arrived, by outcome.',
    'outcome',
    () => parts.notices.totals,
  );
  return metrics;
}
