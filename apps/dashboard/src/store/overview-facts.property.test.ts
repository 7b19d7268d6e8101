import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { troubledToday } from '../model/troubled.ts';
import { alertsTexts } from '../screens/alerts/alerts-texts.ts';
import { overviewTexts } from '../screens/overview/overview-texts.ts';
import {
  type AccountFixture,
  anyWorld,
  hardWorlds,
  type WorldAlert,
  type WorldDevice,
} from '../testing/account-fixture.ts';
import { answerFor, dayBeginMs, scheduleOfLocations } from '../testing/fake-api.ts';
import { usePage } from '../testing/use-page.ts';
import { frameTexts } from '../texts/frame-texts.ts';

// Each statement of the page against the world itself, counted without the page's own rules.

const page = usePage();
const maxShown = 8;

afterEach(() => {
  vi.useRealTimers();
});

const isOpen = ({ state, isSuppressed }: WorldAlert) => state === 'Open' && !isSuppressed;

/** The state of each device in the words of the page. */
function stateIn({ alerts }: AccountFixture, device: WorldDevice): string {
  if (!device.isEnabled) return 'Paused';
  if (device.status !== 'Up') return device.status;
  if (device.isRetrying) return 'Retrying';
  const isPartial = alerts.some(({ kind, deviceId }) => kind === 'device.partial' && deviceId === device.id);
  return isPartial ? 'Partial' : 'Up';
}

function expectedCounts(world: AccountFixture) {
  const counts = { Down: 0, Retrying: 0, Partial: 0, Unknown: 0, Maint: 0, Paused: 0, Up: 0 };
  const partial = new Set(
    world.alerts.flatMap((each) => (each.kind === 'device.partial' ? each.deviceId : [])),
  );
  const alerts = world.alerts.filter(({ deviceId }) => partial.has(deviceId));
  for (const device of world.devices) {
    const state = stateIn({ ...world, alerts: partial.has(device.id) ? alerts : [] }, device);
    if (state in counts) counts[state as keyof typeof counts] += 1;
  }
  return counts;
}

/** Devices that are Down of themselves; in these worlds no master has a master. */
function expectedCauses({ devices, alerts }: AccountFixture) {
  const down = devices.filter(({ status }) => status === 'Down');
  const ids = new Set(down.map(({ id }) => id));
  const isBehind = ({ masterId }: WorldDevice) => masterId !== null && ids.has(masterId);
  return down
    .filter((device) => !isBehind(device))
    .map((device) => {
      const alert = alerts.find(({ kind, deviceId }) => kind === 'device.down' && deviceId === device.id);
      return {
        id: device.id,
        behind: down.filter(({ masterId }) => masterId === device.id).length,
        why: device.lastResult,
        delivered: alert?.delivered,
        mayAcknowledge: alert?.state === 'Open',
      };
    })
    .sort((a, b) => b.behind - a.behind);
}

function expectedHeadline(world: AccountFixture): string {
  const counts = expectedCounts(world);
  const offline = world.locations.filter(({ isOnline }) => !isOnline).length;
  if (world.locations.length > 0 && offline === world.locations.length) return 'unobserved';
  if (counts.Down > 0) return `${counts.Down} down, ${expectedCauses(world).length} causes`;
  const open = world.alerts.filter(isOpen).length;
  const parts = [
    [offline, 'offline'],
    [counts.Unknown, 'Unknown'],
    [counts.Partial, 'Partial'],
    [counts.Retrying, 'Retrying'],
    [open, 'open'],
    [world.alerts.length - open, 'handled'],
  ].filter(([count]) => count !== 0);
  return parts.length === 0 ? 'quiet' : parts.map((part) => part.join(' ')).join(', ');
}

async function shownOf(world: AccountFixture) {
  vi.useFakeTimers({ toFake: ['Date'], now: world.serverMs + world.skewMs });
  page.answerBy((request) => answerFor(world, request));
  const store = await page.store();
  store.endSignIn();
  await store.readFacts();
  await store.readMissingAlerts();
  const { counts, alertCounts, locations } = store;
  const { value: shown } = store.headline;
  const headline =
    shown.kind === 'down'
      ? `${shown.devices} down, ${shown.causes} causes`
      : shown.kind === 'troubled'
        ? shown.troubles.map(([trouble, count]) => `${count} ${trouble}`).join(', ')
        : shown.kind;
  const users = await store.readScheduleUsers([scheduleOfLocations]);
  const troubled = troubledToday(store.rows.value).slice(0, maxShown);
  return {
    progress: store.progress.value,
    headline,
    title: frameTexts.title(counts.value.Down),
    badge: alertCounts.value.open,
    alertsTitle: alertsTexts.title(alertCounts.value.open),
    suppressed: alertCounts.value.suppressed,
    snoozed: alertCounts.value.snoozed,
    counts: counts.value,
    causes: store.causes.value.map(({ row, behind }) => ({ id: row.id, behind: behind.length })),
    shownCauses: store.causes.value.slice(0, store.maxCauses).map(({ row, behind }) => {
      const alert = store.alertOfDevice.value.get(row.id);
      return {
        id: row.id,
        behind: behind.length,
        why: store.whyOf(row.id),
        delivered: alert?.Notifications.length,
        mayAcknowledge: alert?.State === 'Open',
      };
    }),
    fleet: overviewTexts.fleet(store.rows.value.length, locations.value.length),
    offline: locations.value.filter(({ Online }) => !Online).length,
    found: (await store.searchDevices('d-')).size,
    agents: (await store.readAgents()).length,
    scheduleLocations: users.get(scheduleOfLocations)?.locations.length,
    ages: store.rows.value.map(({ id, sinceMs }) => [id, store.secondsSince(sinceMs)] as const),
    outages: await store.readOutageCounts(troubled.map(({ id }) => id)),
  };
}

const byId = <T extends { readonly id: string }>(list: readonly T[]) =>
  list.toSorted((a, b) => (a.id < b.id ? -1 : 1));

test('the page says of any account what is true: headline, badge, title, counts, causes, ages and outages', async () => {
  await fc.assert(
    fc.asyncProperty(anyWorld, async (world) => {
      const shown = await shownOf(world);
      const open = world.alerts.filter(isOpen).length;
      const { counts, causes, shownCauses, ages, outages, ...rest } = shown;
      expect(counts).toEqual(expectedCounts(world));
      expect(rest).toEqual({
        progress: 'ready',
        headline: expectedHeadline(world),
        title: frameTexts.title(world.devices.filter(({ status }) => status === 'Down').length),
        badge: open,
        alertsTitle: alertsTexts.title(open),
        suppressed: world.alerts.filter(({ state, isSuppressed }) => state === 'Open' && isSuppressed).length,
        snoozed: world.alerts.filter(({ state }) => state === 'Snoozed').length,
        fleet: overviewTexts.fleet(world.devices.length, world.locations.length),
        offline: world.locations.filter(({ isOnline }) => !isOnline).length,
        found: world.devices.length,
        agents: world.agents.length,
        scheduleLocations: world.locations.length,
      });
      const expected = expectedCauses(world);
      expect(byId(causes)).toEqual(byId(expected.map(({ id, behind }) => ({ id, behind }))));
      const facts = new Map(expected.map((cause) => [cause.id, cause]));
      expect(shownCauses).toEqual(shownCauses.map(({ id }) => facts.get(id)));
      const since = new Map(world.devices.map(({ id, sinceMs }) => [id, sinceMs]));
      for (const [id, seconds] of ages)
        expect(Math.abs(seconds - (world.serverMs - (since.get(id) ?? 0)) / 1_000)).toBeLessThanOrEqual(1);
      const begin = dayBeginMs(world.serverMs);
      for (const [id, count] of outages)
        expect([id, count]).toEqual([
          id,
          world.devices.find((device) => device.id === id)?.outages.filter((ms) => ms + 60_000 > begin)
            .length,
        ]);
    }),
    { numRuns: propertyRuns(200), examples: hardWorlds.map((world) => [world] as const) },
  );
});
