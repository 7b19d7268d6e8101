import { type AnchorReport, storedFailedAnchors } from '@vantage/domain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAlertFixture } from '../../src/alerts/decide/testing/alert-fixture.ts';
import { locationVisibility } from '../../src/catalog/locations/visibility-store.ts';
import { reviewAnchors } from '../../src/results/status/anchor-review.ts';
import { second, startUs } from '../../src/results/status/testing/scenario.ts';

let fixture: Awaited<ReturnType<typeof createAlertFixture>>;
beforeAll(async () => {
  fixture = await createAlertFixture();
  await fixture.everybody();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const at = (s: number) => startUs + s * second;
const gateway = { Name: 'gateway', Target: '10.0.0.1', Networks: [] };
const site = { Name: 'site', Target: '10.9.0.1:22', Networks: ['10.9.0.0/16'] };
type Place = Awaited<ReturnType<typeof fixture.location>>;

async function setAnchors({ locationNo }: Place, anchors: readonly object[]) {
  const set = { anchors: JSON.stringify(anchors) };
  await fixture.kysely.updateTable('locations').set(set).where('location_no', '=', locationNo).execute();
}

/** The Location's agent reports these states of the gateway and the site, since this second. */
async function report(
  { agentNo }: Place,
  states: readonly AnchorReport['state'][],
  since: number,
  more: { readonly state?: 'Connected' | 'Away' } = {},
) {
  const reports = states.map((state, i) => ({
    target: i === 0 ? gateway.Target : site.Target,
    state,
    sinceUs: at(since),
    text: state === 'silent' ? 'no answer within 2 s' : 'fine',
  }));
  const set = { anchor_states: JSON.stringify(reports), state: 'Connected' as const, ...more };
  await fixture.kysely.updateTable('agents').set(set).where('agent_no', '=', agentNo).execute();
}

const review = (s: number) => reviewAnchors({ ...fixture, locations: locationVisibility }, at(s));

async function eventsOf({ locationNo }: Place) {
  const rows = await fixture.kysely
    .selectFrom('events')
    .select(['type', 'status', 'at_us', 'message', 'duration_s', 'device_no'])
    .where('location_no', '=', locationNo)
    .orderBy('event_no')
    .execute();
  return rows.map(({ at_us: us, ...row }) => ({ ...row, at: (us - startUs) / second }));
}

async function alertsOf({ locationNo }: Place) {
  const rows = await fixture.kysely
    .selectFrom('alerts')
    .select(['alert_no', 'kind', 'closed_us', 'since_us', 'opening'])
    .where('location_no', '=', locationNo)
    .orderBy('alert_no')
    .execute();
  return rows.map(({ closed_us: us, since_us: since, kind, opening, alert_no: no }) => ({
    no,
    kind,
    opening,
    isOpen: us === null,
    since: (since - startUs) / second,
  }));
}

async function messagesOf(place: Place) {
  const nos = (await alertsOf(place)).map(({ no }) => no);
  const rows = await fixture.kysely
    .selectFrom('notifications')
    .select(['kind', 'data'])
    .where('alert_no', 'in', nos)
    .orderBy('notification_no')
    .execute();
  return rows.map(({ kind, data }) => [kind, data]);
}

test('an anchor that fails makes one event and one alert, by however many controllers, and its end ends both', async () => {
  const place = await fixture.location('Oslo');
  await setAnchors(place, [gateway, site]);
  await report(place, ['answers', 'answers'], 0);
  expect(await review(10)).toEqual([]);
  await report(place, ['answers', 'silent'], 12);
  const notices = await Promise.all([review(15), review(15), review(15)]);
  expect(notices.flat()).toEqual([{ locationName: 'Oslo', anchorName: 'site', isDown: true }]);
  await fixture.decide(16, 2);
  expect(await eventsOf(place)).toMatchObject([
    {
      type: 'AnchorDown',
      status: 'Unknown',
      at: 12,
      device_no: null,
      message:
        'Anchor site (10.9.0.1:22) of Location Oslo does not answer, errors of devices behind it are inconclusive: no answer within 2 s',
    },
  ]);
  expect(await alertsOf(place)).toMatchObject([{ kind: 'anchor.down', isOpen: true, since: 12 }]);
  await report(place, ['answers', 'answers'], 40);
  await review(42);
  await fixture.decide(43);
  expect((await eventsOf(place)).at(-1)).toMatchObject({
    type: 'AnchorUp',
    status: 'Up',
    at: 42,
    duration_s: 30,
    message: 'Anchor site (10.9.0.1:22) of Location Oslo answers again',
  });
  expect(await alertsOf(place)).toMatchObject([{ isOpen: false }]);
  const facts = { Name: 'site', Target: '10.9.0.1:22', Location: 'Oslo', Severity: 'critical' };
  expect(await messagesOf(place)).toMatchObject([
    ['anchor.down', { ...facts, Status: 'Unknown', CheckResult: 'no answer within 2 s' }],
    ['anchor.up', { ...facts, Status: 'Up', Seconds: expect.any(Number) }],
  ]);
});

test('all anchors fail at once: one alert, about the nearest; when it is back and the next one is not, that one has its own', async () => {
  const place = await fixture.location('Rome');
  await setAnchors(place, [gateway, site]);
  await report(place, ['silent', 'silent'], 100);
  await review(102);
  await fixture.decide(103);
  expect((await alertsOf(place)).map(({ opening }) => opening)).toMatchObject([{ Name: 'gateway' }]);
  await report(place, ['answers', 'silent'], 110);
  await review(112);
  await fixture.decide(113);
  await setAnchors(place, [gateway]);
  await review(120);
  await fixture.decide(121);
  const types = (await eventsOf(place)).map(({ type, message }) => `${type} ${message.split(' ')[1]}`);
  expect(types.filter((one) => one.startsWith('Anchor'))).toEqual([
    'AnchorDown gateway',
    'AnchorUp gateway',
    'AnchorDown site',
    'AnchorUp site',
  ]);
  expect((await eventsOf(place)).at(-1)?.message).toContain('is no longer set');
  expect((await messagesOf(place)).map(([kind]) => kind)).toEqual([
    'anchor.down',
    'anchor.up',
    'anchor.down',
    'anchor.up',
  ]);
});

test('while all agents of the Location are away nothing is decided, and a deleted Location ends the alert without a message', async () => {
  const place = await fixture.location('Kyiv');
  await setAnchors(place, [gateway]);
  await report(place, ['silent'], 200);
  await review(202);
  await fixture.decide(203);
  await report(place, ['answers'], 210, { state: 'Away' });
  expect(await review(212)).toEqual([]);
  expect(await alertsOf(place)).toMatchObject([{ isOpen: true }]);
  await fixture.kysely
    .updateTable('locations')
    .set({ deleted_at: new Date() })
    .where('location_no', '=', place.locationNo)
    .execute();
  await fixture.kysely
    .updateTable('alerts')
    .set({ due_us: at(220) })
    .where('closed_us', 'is', null)
    .execute();
  await fixture.decide(220);
  expect(await alertsOf(place)).toMatchObject([{ isOpen: false }]);
  expect((await messagesOf(place)).map(([kind]) => kind)).toEqual(['anchor.down']);
});

test('a Location without anchors, also one with a text in place of the empty list, is none of these', async () => {
  const place = await fixture.location('Lima');
  const set = { anchors: '"[]"' };
  const ofPlace = fixture.kysely.updateTable('locations').set(set);
  await ofPlace.where('location_no', '=', place.locationNo).execute();
  expect(await review(250)).toEqual([]);
});

test('a damaged stored value of one Location stops no other, and shows in what is stored', async () => {
  const [damaged, good] = [await fixture.location('damaged'), await fixture.location('good')];
  await setAnchors(good, [gateway]);
  await report(good, ['silent'], 300);
  const set = { anchor_states: '"x"' };
  await fixture.kysely.updateTable('agents').set(set).where('agent_no', '=', damaged.agentNo).execute();
  await setAnchors(damaged, [gateway]);
  expect(await review(302)).toMatchObject([{ locationName: 'good' }]);
  const { failed_anchors } = await fixture.kysely
    .selectFrom('locations')
    .select('failed_anchors')
    .where('location_no', '=', good.locationNo)
    .executeTakeFirstOrThrow();
  expect(storedFailedAnchors.parse(failed_anchors)).toEqual([
    { name: 'gateway', target: '10.0.0.1', sinceUs: at(300) },
  ]);
});
