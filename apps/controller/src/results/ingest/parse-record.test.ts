import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { OutboxRecordSchema } from '@vantage/proto';
import { expect, test } from 'vitest';
import { parseRecord } from './parse-record.ts';
import { result, type WireRecord } from './testing/ingest-fixture.ts';

type Value<K> = Extract<NonNullable<MessageInitShape<typeof OutboxRecordSchema>['record']>, { case: K }>;

const largestInt = 0x7fff_ffff;
const largestUs = BigInt(Number.MAX_SAFE_INTEGER);
const day = 86_400_000;
const parse = (record: WireRecord) => parseRecord(create(OutboxRecordSchema, { record }));
const span = (fromUs: bigint, toUs: bigint): WireRecord => ({ case: 'coverage', value: { fromUs, toUs } });
const gap = (values: Value<'gap'>['value']): WireRecord => ({
  case: 'gap',
  value: { gapId: 'g', fromUs: 5n, toUs: 9n, droppedResults: 1, reason: 'full', ...values },
});
const clock = (values: Value<'clock'>['value']): WireRecord => ({
  case: 'clock',
  value: { atUs: 5n, offsetUs: 6n, roundTripUs: 7n, ...values },
});
const diagnostics = (values: Value<'diagnostics'>['value']): WireRecord => ({
  case: 'diagnostics',
  value: { deviceNo: 1, startUs: 5n, extendedJson: '{}', ...values },
});
const checked = (values: Value<'result'>['value']): WireRecord => result(1, 5, values);
const phases = ['blockMs', 'dnsMs', 'connectMs', 'sslMs', 'ttfbMs', 'ttlbMs'] as const;
const withPhases = (ms: number) => phases.map((phase) => checked({ [phase]: ms }));

test.each<[string, readonly WireRecord[], readonly WireRecord[]]>([
  [
    'device_no out of range',
    [result(1, 5), result(largestInt, 5), diagnostics({}), diagnostics({ deviceNo: largestInt })],
    [
      result(0, 5),
      result(largestInt + 1, 5),
      diagnostics({ deviceNo: 0 }),
      diagnostics({ deviceNo: 2 ** 31 }),
    ],
  ],
  [
    'start_us out of range',
    [result(1, 0), checked({ startUs: largestUs }), diagnostics({ startUs: 0n })],
    [result(1, -1), checked({ startUs: largestUs + 1n }), diagnostics({ startUs: -1n })],
  ],
  ['revision out of range', [checked({ revision: largestInt })], [checked({ revision: largestInt + 1 })]],
  [
    'result_code is not one of 1 to 10',
    [checked({ resultCode: 1 }), checked({ resultCode: 10 })],
    [checked({ resultCode: 0 }), checked({ resultCode: 11 })],
  ],
  [
    'a phase is not a length of time',
    [...withPhases(0), ...withPhases(day)],
    [-0.001, day + 0.001, Number.NaN, Number.POSITIVE_INFINITY].flatMap(withPhases),
  ],
  [
    'data_size is not a size',
    [checked({ dataSize: 0 }), checked({ dataSize: 1e300 })],
    [-1, Number.NaN, Number.POSITIVE_INFINITY].map((dataSize) => checked({ dataSize })),
  ],
  ['attempt out of range', [checked({ attempt: 0x7fff })], [checked({ attempt: 0x8000 })]],
  [
    'an id is too long',
    [checked({ retryId: 'x'.repeat(100), runRequestId: 'x'.repeat(100) })],
    [checked({ retryId: 'x'.repeat(101) }), checked({ runRequestId: 'x'.repeat(101) })],
  ],
  [
    'coverage ends before it begins',
    [span(0n, 1n), span(5n, largestUs)],
    [span(5n, 5n), span(5n, 4n), span(-1n, 5n), span(5n, largestUs + 1n)],
  ],
  [
    'gap ends before it begins',
    [gap({}), gap({ fromUs: 0n, toUs: 0n })],
    [gap({ fromUs: 10n }), gap({ fromUs: -1n }), gap({ toUs: largestUs + 1n })],
  ],
  [
    'gap without a proper gap_id',
    [gap({ gapId: 'x' }), gap({ gapId: 'x'.repeat(100) })],
    [gap({ gapId: '' }), gap({ gapId: 'x'.repeat(101) })],
  ],
  [
    'clock record out of range',
    [clock({}), clock({ atUs: 0n, offsetUs: -largestUs, roundTripUs: 0n })],
    [clock({ atUs: -1n }), clock({ offsetUs: -largestUs - 1n }), clock({ roundTripUs: -1n })],
  ],
])('%s: the values at the ends of the range are in it', (reason, fine, wrong) => {
  for (const record of fine) expect(parse(record).kind, JSON.stringify(record, asText)).toBe(record.case);
  for (const record of wrong)
    expect(parse(record), JSON.stringify(record, asText)).toEqual({ kind: 'malformed', reason });
});

function asText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value;
}

test('a gap counts as many results as a column holds, and a result ends after its phases', () => {
  expect(parse(gap({ droppedResults: 7 }))).toMatchObject({ gap: { droppedResults: 7 } });
  expect(parse(gap({ droppedResults: 0xffff_ffff }))).toMatchObject({ gap: { droppedResults: largestInt } });
  const phasesMs = { blockMs: 64, dnsMs: 1, connectMs: 2, sslMs: 4, ttfbMs: 8, ttlbMs: 16 };
  expect(parse(checked({ ...phasesMs, retryId: '', runRequestId: 'r' }))).toMatchObject({
    result: { startUs: 5, endUs: 31_005, retryId: null, runRequestId: 'r' },
  });
});
