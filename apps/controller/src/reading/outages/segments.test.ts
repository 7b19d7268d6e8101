import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { segmentsOf } from './segments.ts';

const hour = 3_600_000_000;

describe('segments of a period', () => {
  it('use raw checks at the edges, hours between, days where all hours are rolled up', () => {
    const rolled = { rolledToUs: 60 * hour, dirty: new Set([50 * hour]), days: true };
    expect(segmentsOf({ fromUs: 22.5 * hour, toUs: 61.5 * hour }, rolled)).toEqual([
      { source: 'raw', fromUs: 22.5 * hour, toUs: 23 * hour },
      { source: 'hourly', fromUs: 23 * hour, toUs: 24 * hour },
      { source: 'daily', fromUs: 24 * hour, toUs: 48 * hour },
      { source: 'hourly', fromUs: 48 * hour, toUs: 50 * hour },
      { source: 'raw', fromUs: 50 * hour, toUs: 51 * hour },
      { source: 'hourly', fromUs: 51 * hour, toUs: 60 * hour },
      { source: 'raw', fromUs: 60 * hour, toUs: 61.5 * hour },
    ]);
  });

  it('cover the period without gap or overlap', () => {
    const at = fc.integer({ min: 0, max: 100 * 3600 }).map((s) => s * 1_000_000);
    fc.assert(
      fc.property(
        at,
        at,
        at,
        fc.boolean(),
        fc.array(fc.nat(99), { maxLength: 5 }),
        (a, b, rolledToUs, days, dirty) => {
          const period = { fromUs: Math.min(a, b), toUs: Math.max(a, b) };
          const segments = segmentsOf(period, {
            rolledToUs,
            days,
            dirty: new Set(dirty.map((h) => h * hour)),
          });
          let end = period.fromUs;
          for (const segment of segments) {
            expect(segment.fromUs).toBe(end);
            expect(segment.toUs).toBeGreaterThan(segment.fromUs);
            if (segment.source !== 'raw')
              expect([segment.fromUs % hour, segment.toUs % hour]).toEqual([0, 0]);
            end = segment.toUs;
          }
          expect(end).toBe(period.toUs);
        },
      ),
    );
  });
});
