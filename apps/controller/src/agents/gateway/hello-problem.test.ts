import { create } from '@bufbuild/protobuf';
import { HeartbeatSchema, HelloSchema } from '@vantage/proto';
import { expect, test } from 'vitest';
import { helloProblem } from './hello-problem.ts';

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
