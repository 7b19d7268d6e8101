import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { usePage } from '../testing/use-page.ts';

// The devices of the page against an account that changes between any two requests.

const page = usePage();

type Status = 'Up' | 'Down';
interface Device {
  readonly id: string;
  status: Status;
  tag: string;
  changed: number;
}

/** A change between two requests. `at` chooses the device. */
interface Change {
  readonly what: 'nothing' | 'created' | 'created late' | 'deleted' | 'status' | 'tag';
  readonly at: number;
}

/** An account of which each request sees another state. */
function changingAccount(count: number, changes: readonly Change[]) {
  let number = 0;
  let revision = 1;
  const idOf = () => {
    number += 1;
    return number.toString(16).padStart(48, '0');
  };
  const create = (): Device => ({ id: idOf(), status: 'Up', tag: 'first', changed: revision });
  const devices = Array.from({ length: count }, create);
  const deleted = new Map<string, number>();
  const order = devices.map(({ id }) => id);
  const waiting = [...changes];
  const change = () => {
    const { what, at } = waiting.shift() ?? { what: 'nothing', at: 0 };
    revision += 1;
    const device = devices[at % Math.max(1, devices.length)];
    if (what === 'created' || what === 'created late') {
      const made = create();
      const place = what === 'created' ? devices.length : at % (devices.length + 1);
      const before = devices[place]?.id;
      devices.splice(place, 0, made);
      order.splice(before === undefined ? order.length : order.indexOf(before), 0, made.id);
    } else if (device === undefined || what === 'nothing') return;
    else if (what === 'deleted') {
      devices.splice(devices.indexOf(device), 1);
      deleted.set(device.id, revision);
    } else {
      if (what === 'status') device.status = device.status === 'Up' ? 'Down' : 'Up';
      else device.tag = `tag ${revision}`;
      device.changed = revision;
    }
  };
  const show = (device: Device, hasParts: boolean) => ({
    device_id: device.id,
    ShortName: device.id.slice(-4),
    FullName: null,
    Method: 'PING',
    Status: device.status,
    StatusSince: new Date(0).toISOString(),
    ...(hasParts ? { Tags: [{ tag_id: '1', Name: device.tag }], Locations: [], LastCheck: null } : {}),
  });
  const serveStates = (query: URLSearchParams): Response => {
    const since = query.get('ChangedSince');
    const limit = Math.min(Number(query.get('Limit')), query.has('With') || since !== null ? 1_000 : 10_000);
    const after = query.get('After');
    const from = after === null ? 0 : order.indexOf(after) + 1;
    const places = new Map(order.map((id, place) => [id, place]));
    const isLater = ({ id }: { readonly id: string }) => (places.get(id) ?? 0) >= from;
    const listed = devices.filter(
      (device) => isLater(device) && (since === null || device.changed >= Number(since)),
    );
    const rows = listed.slice(0, limit).map((device) => show(device, query.has('With')));
    const gone = since === null ? [] : [...deleted].filter(([, at]) => at >= Number(since));
    const headers = new Headers({ 'Vantage-Revision': `${revision}` });
    if (listed.length > limit) headers.set('Link', '<next>; rel="next"');
    return Response.json([...rows, ...gone.map(([device_id]) => ({ device_id, Gone: true }))], { headers });
  };
  const answer = (request: Request): Response => {
    change();
    const { pathname, searchParams } = new URL(request.url);
    if (pathname.endsWith('/states')) return serveStates(searchParams);
    if (pathname.endsWith('/account')) return Response.json({ account_id: 'a', Timezone: 'UTC' });
    if (pathname.endsWith('/summary'))
      return Response.json({ Devices: { Total: devices.length, Down: 0 }, Alerts: {} });
    return Response.json([]);
  };
  return { answer, devices };
}

const anyChange: fc.Arbitrary<Change> = fc.record({
  what: fc.constantFrom('nothing', 'created', 'created late', 'deleted', 'status', 'tag'),
  at: fc.nat(5_000),
});

test('no change of a device is missed, whenever it happens while the page reads all of them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 1, 2, 999, 1_000, 1_001, 2_500),
      fc.array(anyChange, { maxLength: 20 }),
      async (count, changes) => {
        const account = changingAccount(count, changes);
        page.answerBy(account.answer);
        const store = await page.store();
        store.endSignIn();
        await store.readFacts();
        await store.readChanges();
        const shown = [...store.devices.value.values()].map(({ id, status, tags }) => [
          id,
          [status, tags[0]],
        ]);
        const expected = account.devices.map(({ id, status, tag }) => [id, [status, tag]]);
        expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(expected));
        expect(shown).toHaveLength(expected.length);
        expect(store.arePartsMissing.value).toBe(false);
      },
    ),
    { numRuns: propertyRuns(30) },
  );
});
