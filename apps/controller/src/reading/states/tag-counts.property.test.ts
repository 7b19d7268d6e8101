import type { DeviceStatus } from '@vantage/domain';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTagCounts, type TaggedDevice } from './tag-counts.ts';

const statuses: readonly DeviceStatus[] = ['Up', 'Down', 'Maint', 'Unknown'];
const bases = ['Up', 'Down', 'Unknown'] as const;
const locations = ['1', '2', '1,2'];

/** A device as the test knows it; `base` undefined: it has no state yet. */
const device = fc.record({
  tagNos: fc.subarray([1, 2, 3, 4], { minLength: 1 }),
  location: fc.constantFrom(...locations),
  base: fc.constantFrom(...bases, undefined),
});
type Device = typeof device extends fc.Arbitrary<infer T> ? T : never;

const groupOf = ({ location, base }: Device) => (base === undefined ? '|' : `${location}|${base}`);
const rowOf = ([device_no, one]: readonly [number, Device]): TaggedDevice => ({
  device_no,
  combination: `${one.tagNos.join(',')}|${groupOf(one)}`,
});

/** Each step gives devices other settings, or takes them away. */
const steps = fc.array(
  fc.dictionary(fc.nat(9).map(String), fc.option(device, { nil: undefined }), { maxKeys: 6 }),
  { maxLength: 8 },
);
const shownOf = fc.record({
  groups: fc
    .dictionary(
      fc.constantFrom(...locations.flatMap((location) => bases.map((base) => `${location}|${base}`))),
      fc.constantFrom(...statuses),
    )
    .map((all) => new Map(Object.entries(all))),
  apart: fc.uniqueArray(fc.record({ device_no: fc.nat(9), status: fc.constantFrom(...statuses) }), {
    selector: ({ device_no }) => device_no,
    maxLength: 5,
  }),
});
const groups = fc.array(fc.subarray([1, 2, 3, 4, 5]), { maxLength: 5 });

test('after any changes the counts are those of the devices one by one', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.nat(9).map(String), device),
      steps,
      shownOf,
      groups,
      (first, all, shown, by) => {
        const truth = new Map(Object.entries(first).map(([no, one]) => [Number(no), one]));
        const counts = createTagCounts([...truth].map(rowOf));
        for (const step of all) {
          const changed = Object.keys(step).map(Number);
          for (const [no, one] of Object.entries(step))
            if (one === undefined) truth.delete(Number(no));
            else truth.set(Number(no), one);
          counts.change(changed, [...truth].filter(([no]) => changed.includes(no)).map(rowOf));
        }
        const wanted = by.flatMap((tagNos, group_no) =>
          statuses.map((status) => ({
            group_no,
            status,
            devices: [...truth].filter(([no, one]) => {
              const exception = shown.apart.find(({ device_no }) => device_no === no);
              const is = exception?.status ?? shown.groups.get(groupOf(one)) ?? 'Unknown';
              return is === status && one.tagNos.some((tagNo) => tagNos.includes(tagNo));
            }).length,
          })),
        );
        expect(counts.size).toBe(truth.size);
        expect(new Set(counts.count(by, shown))).toEqual(
          new Set(wanted.filter(({ devices }) => devices > 0)),
        );
      },
    ),
  );
});
