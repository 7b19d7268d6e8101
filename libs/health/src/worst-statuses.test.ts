import type { DeviceStatus } from '@vantage/domain';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ShownSpan } from './timeline.ts';
import { worstStatuses } from './worst-statuses.ts';

const statuses: readonly DeviceStatus[] = ['Down', 'Unknown', 'Maint', 'Up'];

test('property: each stretch has the worst status of its moments', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ status: fc.constantFrom(...statuses), length: fc.integer({ min: 1, max: 9 }) }), {
        maxLength: 12,
      }),
      fc.integer({ min: 0, max: 20 }),
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 1, max: 10 }),
      (lengths, fromUs, partUs, parts) => {
        const spans: ShownSpan[] = [];
        let at = 3;
        for (const { status, length } of lengths) {
          spans.push({ fromUs: at, toUs: at + length, status });
          at += length;
        }
        const at1 = (us: number) => spans.find((span) => span.fromUs <= us && us < span.toUs)?.status;
        const expected = Array.from({ length: parts }, (_, part) => {
          const moments = Array.from({ length: partUs }, (_, us) => at1(fromUs + part * partUs + us));
          return statuses.find((status) => moments.includes(status));
        });
        expect(worstStatuses(spans, { fromUs, partUs, parts })).toEqual(expected);
      },
    ),
  );
});
