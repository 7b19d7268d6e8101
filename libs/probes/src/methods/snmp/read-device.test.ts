import { createFakeClock } from '@vantage/kernel/testing';
import { expect, test } from 'vitest';
import type { AnyProbe } from '../../contract/probe.ts';
import { createSwitch, deviceChecks, type PortCounter, serveSnmp } from '../../testing/index.ts';
import { createDeviceMemories } from './device-memory.ts';
import { createSnmp } from './snmp.ts';
import { loadNetSnmp } from './snmp-client.ts';

const kinds: readonly (readonly [suffix: string, names: readonly PortCounter[]])[] = [
  ['in bit/s', ['inOctets']],
  ['errors/s', ['inErrors', 'outErrors']],
  ['discards/s', ['inDiscards', 'outDiscards']],
];

test('with answers of 1,472 bytes a check of 48 ports has 5 requests; errors and discards take turns', async () => {
  const clock = createFakeClock();
  const simulated = createSwitch(() => clock.monoMs() / 1000, { random: () => 0.5 });
  await using agent = await serveSnmp({
    objects: simulated.objects(),
    maxBytes: 1_472,
    sent: (oids) => simulated.sent(oids),
  });
  const probe = createSnmp({ memories: createDeviceMemories(), load: loadNetSnmp }) as AnyProbe;
  const check = deviceChecks(probe, agent.url, clock);
  const options = { Interfaces: simulated.ports.map(({ name }) => ({ Name: name })) };
  await check(options);
  const found = { errors: 0, discards: 0 };
  for (let minute = 1; minute <= 8; minute += 1) {
    const before = new Map(simulated.ports.map((port) => [port, simulated.lastSent(port)]));
    const seen = await check(options);
    expect(seen).toMatchObject({ code: 1 });
    expect(Number(seen.extended['Requests']), `minute ${minute}`).toBeLessThanOrEqual(5);
    for (const port of simulated.ports)
      for (const [suffix, names] of kinds) {
        const value = seen.values[`${port.name} ${suffix}`];
        if (suffix === 'in bit/s') expect(value).toBeDefined();
        if (value === undefined) continue;
        if (suffix === 'errors/s') found.errors += 1;
        if (suffix === 'discards/s') found.discards += 1;
        const now = simulated.lastSent(port);
        const truth = names.reduce((sum, name) => {
          const [from, to] = [before.get(port)?.[name], now[name]];
          if (from === undefined || to === undefined) return Number.NaN;
          return sum + (to.total - from.total) / (to.atSeconds - from.atSeconds);
        }, 0);
        expect(value / (suffix.endsWith('bit/s') ? 8 : 1) / truth).toBeCloseTo(1, 1);
      }
  }
  // Errors are read in the first check, which reads all, and in each second one from then on.
  expect(found).toEqual({ errors: 4 * 48, discards: 4 * 48 });
});
