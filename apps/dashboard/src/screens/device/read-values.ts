import type { Schemas } from '@vantage/client';
import type { TimeSpan } from '../../model/time-range.ts';
import { labelList, type ValueBucketName } from '../../model/value-charts.ts';
import { api, take } from '../../store/api.ts';
import { timestampsOf } from './read-axis.ts';

type DeviceValues = Schemas['DeviceValues'];

/** All labels of a device with their figures of a span, each in one bucket. */
export function readLabels(device_id: string, span: TimeSpan): Promise<readonly DeviceValues[]> {
  const query = { Points: 1, ...timestampsOf(span) };
  return take(api.GET('/devices/{device_id}/values', { params: { path: { device_id }, query } }));
}

/** The values of these labels in a span. */
export async function readValues(
  device_id: string,
  labels: readonly string[],
  span: TimeSpan,
  bucket: ValueBucketName,
): Promise<readonly DeviceValues[]> {
  if (labels.length === 0) return [];
  const query = { Label: [labelList(labels)], Bucket: bucket, ...timestampsOf(span) };
  return take(api.GET('/devices/{device_id}/values', { params: { path: { device_id }, query } }));
}
