import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encoded, resultRecord, startsOf } from '../testing/outbox-fixture.ts';
import {
  acknowledgeItems,
  addInMemory,
  addWritten,
  createOutboxState,
  limits,
  memoryOverflow,
  type OutboxItem,
  offerRecord,
  oldestDroppable,
  putBackAll,
  setOnline,
  takeAtHand,
  takeUnwritten,
} from './outbox-state.ts';
import { createSegment, giveUp, takeWaiting, totalOf } from './segment.ts';

const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('append' as const), count: fc.nat(5) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('write' as const), refused: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('new' as const), max: fc.nat(6) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('backlog' as const), max: fc.nat(6) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('ack' as const), count: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('online' as const), isOnline: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const) }) },
);
type OutboxCommand = typeof command extends fc.Arbitrary<infer C> ? C : never;
type RecordPosition = 'unwritten' | 'waiting' | 'atHand' | 'taken' | 'acked' | 'dropped';

/**
 * An outbox state beside a plain table that says where each record is. Segments of files keep their records in memory
 * here.
 */
function createModel() {
  const state = createOutboxState();
  const positions = new Map<number, RecordPosition>();
  const files = new Map<number, Map<number, Uint8Array>>();
  let out: OutboxItem[] = [];
  let nextStart = 1;
  let nextNo = 1;
  const at = (position: RecordPosition) =>
    [...positions].flatMap(([start, each]) => (each === position ? [start] : []));
  const take = (items: readonly OutboxItem[], from: RecordPosition) => {
    for (const start of startsOf(items)) {
      expect(positions.get(start)).toBe(from);
      positions.set(start, 'taken');
    }
    out.push(...items);
  };
  const recordWritten = (starts: readonly number[]) => {
    for (const start of starts) positions.set(start, state.isOnline ? 'atHand' : 'waiting');
  };
  const writeFile = () => {
    const batch = takeUnwritten(state);
    const no = nextNo++;
    const segment = createSegment(no, `${no}.seg`, 0);
    state.segments.set(no, segment);
    files.set(no, new Map(batch.map(({ payload }, index) => [index, payload])));
    for (const one of batch) addWritten(state, segment, one);
  };
  const run = (one: OutboxCommand) => {
    switch (one.kind) {
      case 'append':
        for (let i = 0; i < one.count; i += 1) {
          expect(offerRecord(state, encoded(resultRecord(nextStart)))).toBe(true);
          positions.set(nextStart++, 'unwritten');
        }
        return;
      case 'write':
        recordWritten(at('unwritten'));
        if (one.refused) addInMemory(state, takeUnwritten(state), { no: nextNo++, bornMs: 0 });
        else writeFile();
        return;
      case 'new':
        return take(takeAtHand(state, one.max), 'atHand');
      case 'backlog':
        for (const segment of state.segments.values()) {
          const payloads = segment.memory ?? files.get(segment.no) ?? new Map();
          const { items, lost } = takeWaiting(segment, payloads, one.max);
          expect(lost).toBe(0);
          const origin = { kind: 'segment', segment } as const;
          take(
            items.map(({ payload, index }) => ({ payload, origin: { ...origin, index } })),
            'waiting',
          );
        }
        return;
      case 'ack': {
        const acked = out.splice(0, one.count);
        acknowledgeItems(acked);
        for (const start of startsOf(acked)) positions.set(start, 'acked');
        return;
      }
      case 'online':
        setOnline(state, one.isOnline);
        if (one.isOnline) return;
        putBackAll(state);
        out = [];
        for (const start of [...at('atHand'), ...at('taken')]) positions.set(start, 'waiting');
        return;
      case 'drop': {
        const segment = oldestDroppable(state, undefined, () => true);
        if (segment === undefined) return;
        const inFile = [...(files.get(segment.no) ?? [])];
        const waiting = startsOf(
          inFile
            .filter(([index]) => segment.states.at(index) === 'waiting')
            .map(([index, payload]) => ({ payload, origin: { kind: 'segment', segment, index } })),
        );
        expect(giveUp(segment, 'waiting', 'full')?.dropped ?? 0).toBe(waiting.length);
        for (const start of waiting) positions.set(start, 'dropped');
        state.segments.delete(segment.no);
      }
    }
  };
  return { state, at, run };
}

test('each record is in one position, none is taken twice on one connection, and none disappears uncounted', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 50, size: 'max' }), (commands) => {
      const { state, at, run } = createModel();
      for (const one of commands) {
        run(one);
        const { waiting, inFlight } = totalOf(state.segments.values());
        expect(state.unwritten.length).toBe(at('unwritten').length);
        expect(waiting).toBe(at('waiting').length);
        expect(inFlight).toBe(at('atHand').length + at('taken').length);
        expect(startsOf(state.atHand)).toEqual(at('atHand'));
      }
    }),
  );
});

test('memory gives up the oldest segments that are not in flight, and no more than needed', () => {
  const segmentOf = fc.record({
    records: fc.integer({ min: 1, max: 2000 }),
    bytes: fc.nat(8 * 1024 * 1024),
    isInFlight: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(segmentOf, { maxLength: 12 }), (all) => {
      const state = createOutboxState();
      for (const [i, { records, bytes, isInFlight }] of all.entries()) {
        const segment = createSegment(i, undefined, 0);
        Object.assign(segment, {
          bytes,
          waiting: isInFlight ? 0 : records,
          inFlight: isInFlight ? records : 0,
        });
        state.segments.set(i, segment);
      }
      const isBeyond = (givenUp: ReadonlySet<number>) => {
        const rest = all.filter((_, i) => !givenUp.has(i));
        const { records, bytes } = limits.inMemory;
        return (
          rest.reduce((sum, each) => sum + each.records, 0) > records ||
          rest.reduce((sum, each) => sum + each.bytes, 0) > bytes
        );
      };
      const expected = new Set<number>();
      for (const [i, { isInFlight }] of all.entries()) if (!isInFlight && isBeyond(expected)) expected.add(i);
      expect(memoryOverflow(state).map(({ no }) => no)).toEqual([...expected]);
    }),
  );
});
