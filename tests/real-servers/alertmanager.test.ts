import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '@vantage/testing/free-port';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createAlertmanager } from '../../apps/controller/src/alerts/channels/alertmanager.ts';
import type { Notice } from '../../apps/controller/src/alerts/channels/channel.ts';
import { fullNotice } from '../../apps/controller/src/alerts/deliver/testing/channel-contract.ts';
import {
  createServersFixture,
  packages,
  type Server,
  type ServersFixture,
  serve,
  serversMissing,
  write,
} from './servers-fixture.ts';

const route = `route:
  receiver: nobody
  group_by: [alertname]
  group_wait: 100ms
  group_interval: 100ms
receivers:
  - name: nobody
`;

const groups = z.array(
  z.object({
    labels: z.record(z.string(), z.string()),
    alerts: z.array(
      z.object({
        labels: z.record(z.string(), z.string()),
        annotations: z.record(z.string(), z.string()),
        generatorURL: z.string(),
        startsAt: z.string(),
      }),
    ),
  }),
);

const since = new Date(Date.now() - 60_000).toISOString();
const down = (alert: string, more: Notice['data'] = {}): Notice => ({
  ...fullNotice,
  timestamp: new Date().toISOString(),
  composed: new Date().toISOString(),
  data: {
    ...fullNotice.data,
    alert_id: alert.repeat(48),
    ShortName: `web-${alert}`,
    Since: since,
    ...more,
  },
});

async function startAlertmanager(fixture: ServersFixture): Promise<Server> {
  const port = await freePort();
  const home = path.join(fixture.folder, 'alertmanager');
  mkdirSync(home, { recursive: true });
  const file = write(home, 'alertmanager.yml', route);
  return serve(port, packages['prometheus-alertmanager'], [
    `--config.file=${file}`,
    `--storage.path=${home}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--cluster.listen-address=',
  ]);
}

test('an Alertmanager shows alerts as one group with their texts and pages, keeps one that is repeated, and ends those that are over or closed', async (context) => {
  const missing = serversMissing('prometheus-alertmanager');
  if (missing !== undefined) return context.skip(missing);
  await using fixture = await createServersFixture();
  await using server = await startAlertmanager(fixture);
  const channel = createAlertmanager({ allowPrivate: true });
  const base = `http://127.0.0.1:${server.port}`;
  const send = async (notice: Notice) => {
    const to = { name: 'noc', address: base, secret: null, previousSecret: null };
    const sending = {
      id: 'e'.repeat(48),
      message: channel.compose([notice], null),
      to,
      nowUs: Date.now() * 1000,
    };
    expect(await channel.send(sending, AbortSignal.timeout(10_000))).toMatchObject({ kind: 'delivered' });
  };
  const shown = async () => groups.parse(await (await fetch(`${base}/api/v2/alerts/groups`)).json());
  await send(down('a'));
  await send(down('b'));
  await send(down('a', { Number: 2 }));
  await vi.waitFor(async () => expect((await shown())[0]?.alerts).toHaveLength(2), { timeout: 10_000 });
  const [group, ...others] = await shown();
  expect(others).toEqual([]);
  expect(group).toMatchObject({ labels: { alertname: 'VantageDevice' } });
  const first = group?.alerts.find(({ labels }) => labels['alert_id'] === 'a'.repeat(48));
  expect(first).toMatchObject({
    annotations: {
      summary: 'web-a is Down: HTTP 500',
      description: expect.stringMatching(/Still Down for \d+ s/),
    },
    generatorURL: 'https://vantage.example/links/d',
  });
  expect(Date.parse(first?.startsAt ?? '')).toBe(Date.parse(since));
  const now = new Date().toISOString();
  await send({
    ...down('a', { Since: now, DownSince: since, Status: 'Up' }),
    kind: 'device.up',
    links: null,
  });
  await vi.waitFor(
    async () =>
      expect((await shown())[0]?.alerts.map(({ labels }) => labels['alert_id'])).toEqual(['b'.repeat(48)]),
    { timeout: 10_000 },
  );
  await send({
    ...down('b', { Reason: 'device paused', AlertKind: 'device.down' }),
    kind: 'closed',
    links: null,
  });
  await vi.waitFor(async () => expect(await shown()).toEqual([]), { timeout: 10_000 });
});
