import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RecordState, RecordStates } from './record-states.ts';

const state = fc.constantFrom<RecordState>('waiting', 'inFlight', 'acked', 'done');
const step = fc.oneof(
  fc.record({
    kind: fc.constant('push' as const),
    state,
    isResult: fc.boolean(),
    times: fc.integer({ min: 1, max: 90 }),
  }),
  fc.record({ kind: fc.constant('set' as const), state, at: fc.nat() }),
);

test('the states in bytes are those of a list of objects', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const packed = new RecordStates();
      const list: { state: RecordState; isResult: boolean }[] = [];
      for (const one of steps) {
        if (one.kind === 'push')
          for (let n = 0; n < one.times; n += 1) {
            list.push({ state: one.state, isResult: one.isResult });
            expect(packed.push(one.state, one.isResult)).toBe(list.length - 1);
          }
        const target = one.kind === 'set' ? list[one.at % list.length] : undefined;
        if (one.kind === 'set' && target !== undefined) {
          target.state = one.state;
          packed.set(one.at % list.length, one.state);
        }
      }
      expect(packed.length).toBe(list.length);
      expect(list.map((_, at) => ({ state: packed.at(at), isResult: packed.isResult(at) }))).toEqual(list);
      expect([packed.at(list.length), packed.isResult(list.length)]).toEqual([undefined, false]);
      for (const each of ['waiting', 'inFlight', 'acked', 'done'] as const) {
        const indexes = list.flatMap((record, at) => (record.state === each ? [at] : []));
        expect([...packed.indexesOf(each)]).toEqual(indexes);
        expect(packed.includes(each)).toBe(indexes.length > 0);
      }
    }),
  );
});
