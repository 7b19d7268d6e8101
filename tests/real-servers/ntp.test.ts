// NTP against chronyd of Debian: a clock of stratum 8, and one that is not synchronised.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { probeFor } from '@vantage/probes';
import { runTest } from '@vantage/probes/testing';
import { freePort } from '@vantage/testing/free-port';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createServersFixture, type ServersFixture, write } from './servers-fixture.ts';
import { packages, serversMissing, startUdp, type UdpServer } from './udp-servers.ts';

/** chronyd that leaves the clock of this machine alone (-x). */
function startChrony(fixture: ServersFixture, lines: readonly string[]): Promise<UdpServer> {
  return startUdp((port) => {
    const folder = path.join(fixture.folder, `chrony-${port}`);
    mkdirSync(folder);
    const settings = [
      `port ${port}`,
      'cmdport 0',
      'bindaddress 127.0.0.1',
      `bindcmdaddress ${folder}/command`,
      `pidfile ${folder}/pid`,
      'allow 127.0.0.0/8',
      ...lines,
    ];
    const conf = write(folder, 'chrony.conf', `${settings.join('\n')}\n`);
    return [packages.chrony, '-d', '-x', '-U', '-u', 'root', '-f', conf];
  });
}

const missing = serversMissing('chrony');

describe('NTP at chronyd', () => {
  beforeEach(({ skip }) => skip(missing !== undefined, missing));
  let fixture: ServersFixture;
  let good: UdpServer;
  let unset: UdpServer;
  beforeAll(async () => {
    if (missing !== undefined) return;
    fixture = await createServersFixture();
    good = await startChrony(fixture, ['local stratum 8']);
    unset = await startChrony(fixture, []);
  });
  afterAll(async () => {
    await good?.[Symbol.asyncDispose]();
    await unset?.[Symbol.asyncDispose]();
    await fixture?.[Symbol.asyncDispose]();
  });
  const look = (port: number, options: object = {}) => {
    const probe = probeFor('NTP');
    if (!probe) throw new Error('no probe for NTP');
    return runTest(probe, `ntp://127.0.0.1:${port}`, options, { timeoutMs: 8_000 });
  };

  test.each([3, 4])('a clock of stratum 8, asked by version %i', async (ProtocolVersion) => {
    const seen = await look(good.port, { ProtocolVersion, MaxOffsetMs: 5_000 });
    expect(seen, seen.text).toMatchObject({ code: 1, phases: { connect: 0 } });
    const values = Object.fromEntries((seen.values ?? []).map(({ Label, Value }) => [Label, Value]));
    expect(values).toMatchObject({ stratum: 8 });
    expect(Math.abs(values['offset'] ?? 1e9)).toBeLessThan(5_000);
    expect(seen.extended['NTP']).toMatchObject({ Version: ProtocolVersion, Leap: 'none' });
  });

  test('the faults', async () => {
    expect(await look(good.port, { MaxStratum: 3 })).toMatchObject({
      code: 7,
      text: 'stratum is 8, at most 3 is expected',
    });
    const seen = await look(unset.port);
    expect(seen.code).toBe(7);
    expect(seen.text).toMatch(/^the server's clock is not synchronised/);
    const port = await freePort();
    expect(await look(port)).toMatchObject({ code: 3, text: `connection refused by 127.0.0.1:${port}` });
  });
});
