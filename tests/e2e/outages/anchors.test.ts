// From an anchor's failure to its event and alert: the whole system with its own agent.
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { startTarget } from '../../harness/target.ts';
import { system } from './system.ts';

const soon = { timeout: 60_000, interval: 300 };
const locations = z.array(
  z.object({
    location_id: z.string(),
    AnchorStates: z.array(z.object({ Name: z.string(), State: z.string(), Reason: z.string().nullable() })),
  }),
);
const events = z.array(z.object({ Type: z.string(), Message: z.string(), device_id: z.null() }));
const alerts = z.array(z.object({ Kind: z.string(), State: z.string(), Location: z.string() }));

test('an anchor that stops and starts makes one event each and one alert, and an anchor that is removed ends its alert', {
  timeout: 400_000,
}, async () => {
  const { api } = system;
  await using near = await startTarget();
  await using far = await startTarget();
  const local = async () => locations.parse(await api.ok('GET', '/locations'))[0];
  const id = (await local())?.location_id ?? '';
  const anchor = (Name: string, { port }: { readonly port: number }) => ({
    Name,
    Target: `127.0.0.1:${port}`,
  });
  await api.ok('PUT', `/locations/${id}`, { Anchors: [anchor('near', near), anchor('far', far)] });
  const expectStates = (wanted: readonly string[]) =>
    vi.waitFor(
      async () =>
        expect((await local())?.AnchorStates.map(({ Name, State }) => `${Name} ${State}`)).toEqual(wanted),
      soon,
    );
  const expectAlerts = (wanted: readonly string[]) =>
    vi.waitFor(async () => {
      const all = alerts.parse(await api.ok('GET', '/alerts?Kind=anchor.down'));
      expect(all.map(({ Kind, State, Location }) => `${Kind} ${State} ${Location}`).reverse()).toEqual(
        wanted,
      );
    }, soon);
  await expectStates(['near Up', 'far Up']);
  await Promise.all([near.stop(), far.stop()]);
  await expectStates(['near Down', 'far Down']);
  await expectAlerts(['anchor.down Open local']);
  await near.start();
  await expectStates(['near Up', 'far Down']);
  await expectAlerts(['anchor.down Closed local', 'anchor.down Open local']);
  await api.ok('PUT', `/locations/${id}`, { Anchors: [anchor('near', near)] });
  await expectAlerts(['anchor.down Closed local', 'anchor.down Closed local']);
  const recorded = events.parse(await api.ok('GET', '/events?Type=AnchorDown,AnchorUp'));
  // Both failed at the same moment, so their order by Timestamp says nothing.
  const words = recorded.map(({ Type, Message }) => `${Type} ${Message.split(' ')[1]}`).sort();
  expect(words).toEqual(['AnchorDown far', 'AnchorDown near', 'AnchorUp far', 'AnchorUp near']);
});
