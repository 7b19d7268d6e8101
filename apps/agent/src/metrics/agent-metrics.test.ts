import { promtoolComplaints, undocumentedSeries } from '@vantage/testing/promtool';
import { expect, test } from 'vitest';
import { createLatenessMeter } from '../schedule/lateness-meter.ts';
import { createAgentMetrics } from './agent-metrics.ts';

function sample() {
  const meter = createLatenessMeter();
  meter.started(3);
  meter.skipped(2);
  meter.take();
  meter.started(5);
  return createAgentMetrics(
    {
      outbox: { records: 4, bytes: 512 },
      assignments: { all: new Map([[1, {}]]) },
      link: { isUp: true },
      uplink: { isOnline: false },
      scheduler: { waitingUs: () => 1_000_000 },
      time: { nowUs: () => 3_500_000 },
      meter,
      disk: { space: { freeBytes: 7, totalBytes: 9 } },
      notices: { totals: { kept: 3, dropped: 0, unknown: 2, unmatched: 0, malformed: 0 } },
    },
    '1',
  );
}

test('the series show the outbox, the connection and the checks since the start', async () => {
  const text = await sample().text();
  for (const line of [
    'vantage_link_up 1',
    'vantage_uplink_online 0',
    'vantage_assignments 1',
    'vantage_outbox_records 4',
    'vantage_outbox_bytes 512',
    'vantage_disk_free_bytes 7',
    'vantage_disk_size_bytes 9',
    'vantage_schedule_delay_seconds 2.5',
    'vantage_due_checks_total{outcome="started"} 2',
    'vantage_due_checks_total{outcome="skipped"} 2',
  ])
    expect(text).toContain(`\n${line}\n`);
});

test('docs/metrics.md describes every series, and promtool finds nothing to complain about', async ({
  skip,
}) => {
  const text = await sample().text();
  expect(undocumentedSeries(text)).toEqual([]);
  const complaints = promtoolComplaints(['check', 'metrics'], text);
  skip(complaints === undefined, 'promtool is missing (Debian: prometheus)');
  expect(complaints).toBe('');
});
