import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { dayUs, storedAnchorReports } from '@vantage/domain';
import { anyCharacter } from '@vantage/kernel/testing';
import { type AnchorReportSchema, HeartbeatSchema } from '@vantage/proto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isText } from '../../platform/db/index.ts';
import { afterHeartbeat } from './message-gate.ts';

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
