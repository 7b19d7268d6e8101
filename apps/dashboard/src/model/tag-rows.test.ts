import fc from 'fast-check';
import { expect, test } from 'vitest';
import { states } from './state.ts';
import { tagRows } from './tag-rows.ts';

const tags = ['berlin', 'berlin/core', 'Oslo'].map((Name, at) => ({ tag_id: `t${at}`, Name }));

test('a tag counts its own devices, and has the worst of their states', () => {
  const devices = [
    { state: 'Up' as const, tags: ['berlin', 'Oslo'] },
    { state: 'Down' as const, tags: ['berlin'] },
  ];
  expect(tagRows(tags, devices, '')).toEqual([
    { id: 't0', name: 'berlin', devices: 2, down: 1, worst: 'Down' },
    { id: 't1', name: 'berlin/core', devices: 0, down: 0, worst: undefined },
    { id: 't2', name: 'Oslo', devices: 1, down: 0, worst: 'Up' },
  ]);
});

test('a text chooses the tags whose name contains it, in any letter case', () => {
  expect(tagRows(tags, [], ' OSL ').map(({ name }) => name)).toEqual(['Oslo']);
  expect(tagRows(tags, [], 'core').map(({ name }) => name)).toEqual(['berlin/core']);
});

test('the counts of all tags add up to the tags of all devices', () => {
  const names = fc.uniqueArray(fc.constantFrom(...tags.map(({ Name }) => Name)));
  const device = fc.record({ state: fc.constantFrom(...states), tags: names });
  fc.assert(
    fc.property(fc.array(device), (devices) => {
      const found = tagRows(tags, devices, '');
      const total = found.reduce((sum, row) => sum + row.devices, 0);
      expect(total).toBe(devices.reduce((sum, row) => sum + row.tags.length, 0));
      for (const { devices: all, down, worst } of found) {
        expect(down).toBeLessThanOrEqual(all);
        expect(worst === undefined).toBe(all === 0);
      }
    }),
  );
});
