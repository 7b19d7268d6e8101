import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccountApi, addAccount } from '../../testing/one-account.ts';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';
import { change } from './testing/bulk-change.ts';

let rest: RestFixture;
let one: AccountApi;
beforeAll(async () => {
  rest = await createRestFixture();
  one = await addAccount(rest, 'many');
});
afterAll(() => rest[Symbol.asyncDispose]());

const settings = fc.record(
  {
    Frequency: fc.constantFrom(1, 5, 60, null),
    Timeout: fc.constantFrom(3, 30, null),
    Retries: fc.constantFrom(2, 5, null),
    RetryDelay: fc.constantFrom(1, 9, null),
    Enabled: fc.constantFrom(true, false, null),
    Severity: fc.constantFrom('critical', 'info', null),
    Locations: fc.constantFrom(['local'], ['east', 'local'], [], null),
  },
  { requiredKeys: [] },
);
const withSeconds = fc.record(
  { FrequencySeconds: fc.constantFrom(5, 30, null), Attempts: fc.constantFrom(1, 4, null) },
  { requiredKeys: [] },
);

test('each device becomes what PUT with the same settings makes of it, and as many change as the preview says', async () => {
  await one.create('/locations', { Name: 'east' });
  const stored = async (ids: readonly string[]) => {
    const { rows } = await sql<Record<string, unknown>>`
      select d.frequency_min, d.frequency_s, d.timeout_s, d.retries, d.retry_delay_s, d.enabled, d.severity, d.locations_given, d.revision,
        d.target_revision, d.warnings, d.changed_us > d.created_us as checked_at_once, d.updated_us > d.created_us as updated, s.status,
        array(select location_no from device_locations l where l.device_no = d.device_no order by rotation_index) as places,
        (select count(*)::int from events e where e.device_no = d.device_no) as events
      from devices d join device_state s using (device_no) where device_id = any(${ids}::text[]) order by d.device_no`.execute(
      rest.db.kysely,
    );
    return rows;
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(settings, withSeconds), { minLength: 1, maxLength: 3 }),
      fc.oneof(settings, withSeconds),
      async (made, given) => {
        fc.pre(Object.keys(given).length > 0);
        const bodies = made.map(([a, b]) => ({
          Method: 'TCP',
          URL: '192.168.1.1:9',
          ShortName: 'p',
          ...Object.fromEntries(Object.entries({ ...a, ...b }).filter(([, value]) => value !== null)),
        }));
        const good = bodies.map(({ FrequencySeconds, Attempts, ...body }: Record<string, unknown>) => ({
          ...body,
          ...(body['Frequency'] === undefined && FrequencySeconds !== undefined ? { FrequencySeconds } : {}),
          ...(body['Retries'] === undefined && Attempts !== undefined ? { Attempts } : {}),
        }));
        const create = async () => {
          const ids: string[] = [];
          for (const body of good) ids.push(await one.create('/devices', body));
          return ids;
        };
        const [single, many] = [await create(), await create()];
        await rest.clock.advance(1_000);
        for (const id of single) expect((await one.send('PUT', `/devices/${id}`, given)).status).toBe(200);
        const changed = (await stored(single)).filter(({ updated }) => updated);
        const { previewed, done } = await change(one, { Filter: { Devices: many }, Set: given });
        expect(await stored(many)).toEqual(await stored(single));
        expect([previewed.Changed, done.Changed]).toEqual([changed.length, changed.length]);
      },
    ),
    { numRuns: propertyRuns(25) },
  );
});
