import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

let rest: RestFixture;
let key: string;
const names = ['local', 'east', 'west'];

beforeAll(async () => {
  rest = await createRestFixture();
  const { accountNo } = await rest.account('one');
  ({ key } = await rest.key(accountNo, 'UW'));
  for (const Name of names.slice(1)) await send('POST', '/locations', { Name });
});
afterAll(() => rest[Symbol.asyncDispose]());

async function send(method: string, path: string, body?: object): Promise<unknown> {
  const { status, json, text } = await rest.send(method, path, {
    key,
    ...(body === undefined ? {} : { body }),
  });
  if (status !== 200) throw new Error(text);
  return json;
}

const loads = z.array(
  z.object({ Name: z.string(), Load: z.object({ Devices: z.int(), ChecksPerMinute: z.number() }) }),
);

/** The load of each Location, counted device by device. */
async function countedLoads(): Promise<
  Readonly<Record<string, readonly [devices: number, perMinute: number]>>
> {
  const { rows } = await sql<{ name: string; devices: number; per_minute: number }>`
    select l.name, count(d.device_no)::int as devices, coalesce(sum(coalesce(60.0 / d.frequency_s, 1.0 / d.frequency_min) / t.places), 0)::float8 as per_minute
    from locations l left join device_locations dl using (location_no)
      left join devices d on d.device_no = dl.device_no and d.enabled
      left join lateral (select count(*) as places from device_locations x where x.device_no = d.device_no) t on true
    group by l.name`.execute(rest.db.kysely);
  return Object.fromEntries(
    rows.map(({ name, devices, per_minute }) => [name, [devices, rounded(per_minute)]]),
  );
}

async function shownLoads(): Promise<Awaited<ReturnType<typeof countedLoads>>> {
  const shown = loads.parse(await send('GET', '/locations'));
  return Object.fromEntries(
    shown.map(({ Name, Load }) => [Name, [Load.Devices, rounded(Load.ChecksPerMinute)]]),
  );
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Without Frequency where both names would contradict each other. */
function possible({ FrequencySeconds, ...others }: { readonly FrequencySeconds?: number | null }) {
  if (FrequencySeconds == null) return { ...others, FrequencySeconds };
  return { ...others, Frequency: undefined, FrequencySeconds };
}

const settings = fc.record(
  {
    Frequency: fc.constantFrom(1, 5, 60),
    FrequencySeconds: fc.constantFrom(null, 5, 30),
    Locations: fc.option(fc.subarray(names)),
    Enabled: fc.boolean(),
  },
  { requiredKeys: [] },
);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create'), settings }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('update'), settings, at: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete'), at: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('default'), DefaultLocations: fc.subarray(names) }) },
);

test('the load of a Location is that of its devices, whatever is created, changed, paused, moved and deleted', async () => {
  const ids: string[] = [];
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 12 }), async (steps) => {
      for (const one of steps) {
        const id = 'at' in one ? ids[one.at % Math.max(1, ids.length)] : undefined;
        if (one.kind === 'create') {
          const body = {
            Method: 'TCP',
            URL: 'example.org:9',
            ShortName: 'd',
            ...('settings' in one ? possible(one.settings) : {}),
          };
          ids.push(z.object({ device_id: z.string() }).parse(await send('POST', '/devices', body)).device_id);
        } else if ('DefaultLocations' in one) {
          await send('PUT', '/account', { DefaultLocations: one.DefaultLocations });
        } else if (id !== undefined && 'settings' in one)
          await send('PUT', `/devices/${id}`, possible(one.settings));
        else if (id !== undefined) {
          await send('DELETE', `/devices/${id}`);
          ids.splice(ids.indexOf(id), 1);
        }
      }
      expect(await shownLoads()).toEqual(await countedLoads());
    }),
    { numRuns: 10 },
  );
}, 300_000);
