import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { dayUs, storedAnchorReports } from '@vantage/domain';
import { anyCharacter } from '@vantage/kernel/testing';
import { type AnchorReportSchema, HeartbeatSchema } from '@vantage/proto';
import { isText } from '@vantage/storage';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { afterHeartbeat, clampHeartbeat } from './heartbeat-reports.ts';

const receivedUs = 1_800_000_000_000_000;
const reportsAfter = (anchors: readonly MessageInitShape<typeof AnchorReportSchema>[]) => {
  const heartbeat = create(HeartbeatSchema, { anchors: [...anchors] });
  return afterHeartbeat(undefined, { agentNo: 1, sessionId: 's', heartbeat, receivedUs }).anchors;
};

test('a report on an anchor is kept as it came', () => {
  const sinceUs = receivedUs - 5_000_000;
  expect(
    reportsAfter([{ target: '10.0.0.1', state: 2, sinceUs: BigInt(sinceUs), text: 'no answer' }]),
  ).toEqual([{ target: '10.0.0.1', state: 'silent', sinceUs, text: 'no answer' }]);
});

test('whatever an agent reports on anchors, it is at most eight, with texts and times within their bounds', () => {
  const report = fc.record({
    target: fc.string({ unit: anyCharacter, maxLength: 300 }),
    text: fc.string({ unit: anyCharacter, maxLength: 900 }),
    state: fc.integer({ min: 0, max: 9 }),
    sinceUs: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  });
  fc.assert(
    fc.property(fc.array(report, { maxLength: 20 }), (anchors) => {
      const reports = reportsAfter(anchors);
      expect(storedAnchorReports.parse(JSON.parse(JSON.stringify(reports)))).toEqual(reports);
      expect(reports.length).toBe(Math.min(8, anchors.length));
      for (const { target, text, sinceUs } of reports) {
        expect(isText(target, 100) && isText(text, 500)).toBe(true);
        expect(sinceUs).toBeGreaterThanOrEqual(receivedUs - dayUs);
        expect(sinceUs).toBeLessThanOrEqual(receivedUs);
      }
    }),
  );
});

test.each([
  ['backlogRecords', 2n ** 64n - 1n, BigInt(Number.MAX_SAFE_INTEGER)],
  ['clockOffsetUs', -(2n ** 63n), BigInt(-Number.MAX_SAFE_INTEGER)],
  ['latenessP50Ms', 1e300, 3.4028234663852886e38],
  ['latenessP50Ms', -1e300, -3.4028234663852886e38],
  ['latenessP99Ms', 1e-300, 0],
  ['latenessP99Ms', Number.NaN, 0],
  ['latenessP99Ms', Number.NEGATIVE_INFINITY, -3.4028234663852886e38],
  ['offlineReason', 'x'.repeat(101), 'x'.repeat(100)],
  ['offlineReason', 'a\0b', 'a\u{fffd}b'],
])('a heartbeat with %s %s is clamped', (name, value, clamped) => {
  expect(clampHeartbeat(create(HeartbeatSchema, { [name]: value }))).toMatchObject({ [name]: clamped });
});

test('whatever a heartbeat holds, it fits its columns afterwards, and one that fits stays as it is', () => {
  const heartbeats = fc.record({
    clockOffsetUs: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    backlogRecords: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    latenessP50Ms: fc.double(),
    offlineReason: fc.string({ unit: anyCharacter, maxLength: 300 }),
  });
  fc.assert(
    fc.property(heartbeats, (values) => {
      const clamped = clampHeartbeat(create(HeartbeatSchema, values));
      expect(Math.abs(Number(clamped.clockOffsetUs))).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
      expect(Number(clamped.backlogRecords)).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
      expect(Number.isFinite(Math.fround(clamped.latenessP50Ms))).toBe(true);
      expect(isText(clamped.offlineReason, 100)).toBe(true);
      const again = clampHeartbeat(clamped);
      for (const field of HeartbeatSchema.fields)
        expect(reflect(HeartbeatSchema, again).get(field)).toEqual(
          reflect(HeartbeatSchema, clamped).get(field),
        );
    }),
  );
});
