// UDP against socat: an echo, a silent port, and a refused one.

import { probeFor } from '@vantage/probes';
import { runTest } from '@vantage/probes/testing';
import { freePort } from '@vantage/testing/free-port';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { packages, serversMissing, startUdp, type UdpServer } from './udp-servers.ts';

const missing = serversMissing('socat');

describe('UDP at socat', () => {
  beforeEach(({ skip }) => skip(missing !== undefined, missing));
  let echo: UdpServer;
  let silent: UdpServer;
  beforeAll(async () => {
    if (missing !== undefined) return;
    const listen = (port: number) => `UDP4-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr`;
    echo = await startUdp((port) => [packages.socat, listen(port), 'EXEC:cat']);
    silent = await startUdp((port) => [packages.socat, '-u', listen(port), 'OPEN:/dev/null']);
  });
  afterAll(async () => {
    await echo?.[Symbol.asyncDispose]();
    await silent?.[Symbol.asyncDispose]();
  });
  const look = (port: number, options: object, timeoutMs = 8_000) => {
    const probe = probeFor('UDP');
    if (!probe) throw new Error('no probe for UDP');
    return runTest(probe, `127.0.0.1:${port}`, options, { timeoutMs });
  };

  test('an echo is answered, and judged', async () => {
    const seen = await look(echo.port, { Send: 'hello', ExpectText: 'ell' });
    expect(seen, seen.text).toMatchObject({ code: 1, dataSize: 5, phases: { connect: 0 } });
    expect(seen.phases.ttfb).toBeGreaterThan(0);
    expect(await look(echo.port, { SendHex: '00 ff', ExpectHex: 'ff' })).toMatchObject({ code: 1 });
    expect(await look(echo.port, { Send: 'hello', ExpectText: 'other' })).toMatchObject({
      code: 7,
      text: 'expected "other", got "hello"',
    });
  });

  test('a silent server is an error, unless no answer is required', async () => {
    expect(await look(silent.port, { Send: 'hello' }, 1_500)).toMatchObject({
      code: 2,
      text: `no answer from 127.0.0.1:${silent.port} within 1.5 s`,
    });
    expect(await look(silent.port, { Send: 'hello', AnswerRequired: false })).toMatchObject({ code: 1 });
  });

  test('a port without a server is refused', async () => {
    const port = await freePort();
    for (const AnswerRequired of [true, false])
      expect(await look(port, { Send: 'hello', AnswerRequired })).toMatchObject({
        code: 3,
        text: `connection refused by 127.0.0.1:${port}`,
      });
  });
});
