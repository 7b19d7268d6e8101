import { create } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { anyCharacter } from '@vantage/kernel/testing';
import { HeartbeatSchema, HelloSchema } from '@vantage/proto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isText } from '../../platform/db/index.ts';
import { clampHeartbeat, helloProblem } from './message-gate.ts';

test('a Hello and a heartbeat have only fields that the gate bounds, besides the reports on anchors, which afterHeartbeat bounds, and the epochs, which database-history.ts bounds', () => {
  const kinds = [...HelloSchema.fields, ...HeartbeatSchema.fields]
    .filter((field) => field !== HeartbeatSchema.field.anchors && field !== HelloSchema.field.epochIds)
    .map((field) => field.fieldKind);
  expect(new Set(kinds)).toEqual(new Set(['scalar']));
});

test('an ordinary Hello has no problem', () => {
  expect(
    helloProblem(
      create(HelloSchema, {
        version: '0.1.0',
        bootId: 'b',
        sessionCounter: 7n,
        capacity: 60_000,
        hostName: 'h',
      }),
    ),
  ).toBeUndefined();
});

test.each([
  ['a NUL', { hostName: 'a\0b' }, /^host_name must be a text/],
  ['half of a surrogate pair', { bootId: '\ud800' }, /^boot_id must be a text/],
  ['a text of 101 characters', { version: 'v'.repeat(101) }, /^version must be a text of at most 100/],
  ['a session counter of 2^53', { sessionCounter: 2n ** 53n }, /^session_counter must be below 2\^53/],
  ['a session counter of 2^64-1', { sessionCounter: 2n ** 64n - 1n }, /^session_counter must be below 2\^53/],
])('a Hello with %s has a problem that names the field', (_what, values, problem) => {
  expect(helloProblem(create(HelloSchema, values))).toMatch(problem);
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
