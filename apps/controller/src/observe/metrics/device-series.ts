import { setImmediate as nextIteration } from 'node:timers/promises';
import { secondUs } from '@vantage/domain';
import type { readDevices } from './account-metrics-store.ts';
import { labelText } from './label-text.ts';

type DeviceSample = Awaited<ReturnType<typeof readDevices>>[number];

/** Devices that one iteration of the event loop writes. Other requests are served between iterations. */
const devicesAtOnce = 500;

/** A gauge with one sample per device. */
interface DeviceGauge {
  readonly name: string;
  readonly help: string;
  /** The labels in addition to device_id and short_name. */
  readonly labels?: (row: DeviceSample) => string;
  /** null: the device has no sample. */
  readonly value: (row: DeviceSample) => number | null;
}

const gauges: readonly DeviceGauge[] = [
  {
    name: 'vantage_device_status',
    help: "1; the label is the device's status.",
    labels: ({ method, status }) => `,method="${labelText(method)}",status="${status}"`,
    value: () => 1,
  },
  {
    name: 'vantage_device_status_since_timestamp_seconds',
    help: 'When the status began.',
    value: ({ since_us }) => since_us / secondUs,
  },
  {
    name: 'vantage_device_last_check_timestamp_seconds',
    help: 'End of the last check; absent when there was none in two hours.',
    value: ({ check_end_us }) => (check_end_us === null ? null : check_end_us / secondUs),
  },
  {
    name: 'vantage_device_last_check_result_code',
    help: 'ResultCode of the last check; 1 is good.',
    value: ({ code }) => code,
  },
  {
    name: 'vantage_device_last_check_duration_seconds',
    help: 'RequestTime of the last check.',
    value: ({ duration_ms }) => (duration_ms === null ? null : duration_ms / 1000),
  },
];

/**
 * The series of single devices in the text format of Prometheus. prom-client keeps a map of labels for each sample,
 * which costs several times more for thousands of devices, and writes all of them in one iteration.
 */
export async function deviceSeries(rows: readonly DeviceSample[]): Promise<string> {
  const parts = gauges.map(({ name, help }) => [`# HELP ${name} ${help}\n# TYPE ${name} gauge\n`]);
  for (let from = 0; from < rows.length; from += devicesAtOnce) {
    const some = rows.slice(from, from + devicesAtOnce);
    const labels = some.map(
      (row) => `device_id="${labelText(row.device_id)}",short_name="${labelText(row.short_name)}"`,
    );
    for (const [at, gauge] of gauges.entries()) parts[at]?.push(samples(gauge, some, labels));
    await nextIteration();
  }
  return parts.map((part) => part.join('')).join('\n');
}

function samples(gauge: DeviceGauge, rows: readonly DeviceSample[], labels: readonly string[]): string {
  return rows
    .map((row, at) => {
      const value = gauge.value(row);
      return value === null ? '' : `${gauge.name}{${labels[at]}${gauge.labels?.(row) ?? ''}} ${value}\n`;
    })
    .join('');
}
