import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { systemClock } from '@vantage/kernel';
import { describe, expect, test } from 'vitest';
import { addressOf, datagramContract, runTest } from '../../testing/index.ts';
import { ntp } from './ntp.ts';
import { writeNtpTime } from './ntp-packet.ts';

/** The state of a server's clock. */
interface ServerClock {
  readonly aheadMs?: number;
  readonly leap?: number;
  readonly stratum?: number;
  readonly reference?: Buffer;
  readonly dispersionMs?: number;
}

/** The answer of a server with this clock; undefined to what is no request. */
function answerOf(request: Buffer, state: ServerClock = {}): Buffer | undefined {
  if (request.length !== 48 || (request.readUInt8(0) & 7) !== 3) return undefined;
  const { aheadMs = 0, leap = 0, stratum = 2, reference = Buffer.of(192, 0, 2, 1), dispersionMs = 8 } = state;
  const nowUs = systemClock.nowUs() + aheadMs * 1000;
  const bytes = Buffer.alloc(48);
  bytes[0] = (leap << 6) | (request.readUInt8(0) & 0x38) | 4;
  bytes[1] = stratum;
  bytes.writeInt8(-20, 3);
  bytes.writeUInt32BE(Math.round(2 * 65.536), 4);
  bytes.writeUInt32BE(Math.round(dispersionMs * 65.536), 8);
  reference.copy(bytes, 12);
  writeNtpTime(bytes, 16, nowUs - 60e6);
  request.copy(bytes, 24, 40, 48);
  writeNtpTime(bytes, 32, nowUs);
  writeNtpTime(bytes, 40, nowUs);
  return bytes;
}

datagramContract({
  probe: ntp,
  answer: (message) => answerOf(message),
  url: (port) => `ntp://127.0.0.1:${port}`,
});

async function check(state: ServerClock, options: object = {}) {
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    const answer = answerOf(message, state);
    if (answer) socket.send(answer, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const target = `127.0.0.1:${addressOf(socket.address()).port}`;
  const seen = await runTest(ntp, target, options, { timeoutMs: 60_000 });
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return { ...seen, text: seen.text.replace(target, 'SERVER') };
}

describe('NTP', () => {
  test('measures offset, stratum, root delay and root dispersion', async () => {
    const seen = await check({ aheadMs: 5_000 });
    expect(seen.code, seen.text).toBe(1);
    expect(seen.text).toMatch(
      /^stratum 2, the server's clock is [45]\d{3}\.?\d* ms ahead of the clock of this agent's machine$/,
    );
    const values = Object.fromEntries((seen.values ?? []).map(({ Label, Value }) => [Label, Value]));
    expect(values['offset']).toBeGreaterThan(4_000);
    expect(values['offset']).toBeLessThan(6_000);
    expect(values).toMatchObject({ stratum: 2, 'root delay': expect.closeTo(2, 1) });
    expect(values['root dispersion']).toBeCloseTo(8, 1);
    expect(seen.extended['NTP']).toMatchObject({ Version: 4, Leap: 'none', ReferenceId: '192.0.2.1' });
  });

  test.each([
    [{ aheadMs: 9e6 }, { MaxOffsetMs: 9.5e6 }, 1, /^stratum 2/],
    [
      { aheadMs: 9e6 },
      { MaxOffsetMs: 50 },
      7,
      /ms ahead of the clock of this agent's machine, at most 50 ms/,
    ],
    [{ aheadMs: -9e6 }, { MaxOffsetMs: 50 }, 7, /ms behind the clock of this agent's machine, at most 50 ms/],
    [{ stratum: 4 }, { MaxStratum: 3 }, 7, /^stratum is 4, at most 3 is expected$/],
    [{ dispersionMs: 900 }, { MaxRootDispersionMs: 500 }, 7, /^root dispersion is \d+\.?\d* ms, at most 500/],
    [{ leap: 3 }, {}, 7, /^the server's clock is not synchronised \(leap indicator 3, stratum 2\)$/],
    [{ stratum: 16 }, {}, 7, /^the server's clock is not synchronised \(stratum 16\)$/],
    [{ stratum: 0, reference: Buffer.alloc(4) }, {}, 7, /^the server's clock is not synchronised$/],
    [{ stratum: 0, reference: Buffer.from('INIT') }, {}, 7, /not synchronised \(INIT: its clock was not set/],
    [
      { stratum: 0, reference: Buffer.from('RATE') },
      {},
      3,
      /^SERVER sent the kiss-o'-death RATE: it wants fewer requests$/,
    ],
    [{ stratum: 0, reference: Buffer.from('DENY') }, {}, 3, /DENY: it denies access to this agent$/],
    [{ leap: 1 }, { ProtocolVersion: 3 }, 1, /^stratum 2/],
  ])('a server with %j and %j', async (state, options, code, text) => {
    const seen = await check(state, options);
    expect(seen.text).toMatch(text);
    expect(seen.code).toBe(code);
    if (code === 7 && /not synchronised/.test(seen.text)) expect(seen.values).toBeUndefined();
  });

  test.each([
    ['ntp.example', 'ntp.example', 123],
    ['ntp://[2001:db8::1]:1123', '2001:db8::1', 1123],
  ])('reads %s', (url, host, port) => {
    expect(ntp.parseTarget(url)).toMatchObject({ ok: true, target: { host, port } });
  });
});
