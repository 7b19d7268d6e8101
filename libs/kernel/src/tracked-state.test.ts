import { expect, test } from 'vitest';
import { declaredStates, declareState, stateSizes } from './tracked-state.ts';

const bound = { filledBy: 'tests', atBound: 'the oldest leaves' };

test('the size of a state is that of its collections, and its bound one for each of them', () => {
  const tracked = declareState({ ...bound, name: 'test_maps', entries: 10, entryBytes: 100 });
  const sizes = () => stateSizes().find(({ name }) => name === 'test_maps');
  expect(sizes()).toBeUndefined();
  const kept = [tracked(new Map([['a', 1]])), tracked(new Map())] as const;
  kept[1].set('b', 2).set('c', 3);
  expect(sizes()).toEqual({ name: 'test_maps', entries: 3, bytes: 300, boundBytes: 2_000 });
});

test('a state that counts its bytes itself is asked, and one entry for each thing has no bound in bytes', () => {
  const tracked = declareState({ ...bound, name: 'test_each', entries: { each: 'device' }, entryBytes: 1 });
  const kept = tracked({ bytes: 4_711 });
  expect(kept.bytes).toBe(4_711);
  expect(stateSizes().find(({ name }) => name === 'test_each')).toMatchObject({
    bytes: 4_711,
    boundBytes: undefined,
  });
  expect(declaredStates().map(({ name }) => name)).toEqual(
    expect.arrayContaining(['test_each', 'test_maps']),
  );
});

test('a list counts its entries', () => {
  const tracked = declareState({ ...bound, name: 'test_list', entries: 5, entryBytes: 8 });
  const list = tracked([1, 2, 3]);
  list.push(4);
  expect(stateSizes().find(({ name }) => name === 'test_list')).toMatchObject({ entries: 4, bytes: 32 });
});
