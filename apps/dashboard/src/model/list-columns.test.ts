import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  columnNames,
  defaultColumns,
  fittingColumns,
  fixedColumns,
  gridOf,
  parseColumns,
  toggleColumn,
} from './list-columns.ts';

test('columns in an address are in their order, and unknown ones are left out', () => {
  expect(parseColumns('tag,url,speed')).toEqual(['status', 'device', 'url', 'tag']);
  expect(parseColumns('speed')).toBeUndefined();
  expect(parseColumns(null)).toBeUndefined();
});

test('a column is added and taken away again; status and name stay', () => {
  const before = defaultColumns(1_280);
  expect(before).not.toContain('trend');
  expect(defaultColumns(1_920)).toContain('trend');
  expect(toggleColumn(toggleColumn(before, 'url'), 'url')).toEqual(before);
  expect(toggleColumn(before, 'device')).toEqual(before);
});

test('a narrow window drops columns and never reorders them', () => {
  const some = fc.subarray([...columnNames]).map((names) => parseColumns(names.join(',')) ?? fixedColumns);
  fc.assert(
    fc.property(some, fc.integer({ min: 300, max: 2_400 }), (columns, width) => {
      const fitting = fittingColumns(columns, width);
      expect(fitting).toEqual(columns.filter((name) => fitting.includes(name)));
      expect(fitting).toEqual(expect.arrayContaining([...fixedColumns]));
      expect(fittingColumns(columns, width + 500).length).toBeGreaterThanOrEqual(fitting.length);
    }),
  );
});

test('the grid has a track for the checkbox and for each column', () => {
  expect(gridOf(['status', 'device'])).toBe('16px 142px minmax(170px, 3fr)');
});
