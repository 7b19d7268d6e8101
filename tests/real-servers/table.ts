// A table of every Method against a real server, good and with each fault. Each cell has the ResultCode and a part of
// the text. A test file prints its part of the table at its end. Most cells wait for a time limit, so the parts run
// at the same time, in processes of their own.

import { readFileSync } from 'node:fs';
import type { Method } from '@vantage/domain';
import { probeFor } from '@vantage/probes';
import { runTest } from '@vantage/probes/testing';
import { freePort } from '@vantage/testing/free-port';
import { retryBecause } from '@vantage/testing/retry';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Fault, startFaultProxy } from '../harness/fault-proxy.ts';
import { dropPort, firewallMissing } from '../harness/firewall.ts';
import type { Place } from './place.ts';
import { type Part, type Row, rows } from './rows.ts';
import { createServersFixture, login, type ServersFixture, serversMissing } from './servers-fixture.ts';

const faults: Readonly<Record<string, { fault: (place: Place) => Fault; codes: readonly number[] }>> = {
  silent: { fault: () => ({ kind: 'silent' }), codes: [2] },
  slow: { fault: () => ({ kind: 'slow', everyMs: 400 }), codes: [2] },
  garbage: { fault: () => ({ kind: 'garbage' }), codes: [3] },
  'reset in mid-answer': { fault: (at) => ({ kind: 'reset', afterBytes: at.middle }), codes: [3] },
  'closed early': { fault: (at) => ({ kind: 'close', afterBytes: at.middle }), codes: [3] },
};

/**
 * Cells in which a Method cannot name the fault. A TCP dialogue accepts any bytes, so it compares the bytes before the
 * deadline or the close with the expected text; a TELNET prompt does the same.
 */
const exceptions: Readonly<Record<string, readonly number[]>> = {
  'TCP garbage': [3, 7],
  'TCP slow': [2, 7],
  'TCP closed early': [3, 7],
  'TELNET garbage': [3, 7],
};

/** Servers delay the answer to a wrong password by some seconds. */
const loginTimeoutMs = 8000;
/** Tests the rows of a part of the table. */
export function testTable(part: Part): void {
  const printed: string[] = [];
  afterAll(() => void process.stdout.write(`\n${printed.join('\n')}\n`));
  for (const row of Object.values(rows)) if (row.part === part) testRow(row, printed);
}

/** Runs a check as a cell of the table and expects one of the codes. */
type Look = (
  cell: string,
  url: string,
  options: unknown,
  codes: readonly number[],
  timeoutMs?: number,
) => Promise<Awaited<ReturnType<typeof runTest>>>;

function createLook(method: Method, printed: string[]): Look {
  const probe = probeFor(method);
  return async (cell, url, options, codes, timeoutMs = 2500) => {
    if (!probe) throw new Error(`no probe for ${method}`);
    const startedMs = performance.now();
    const seen = await runTest(probe, url, options, { timeoutMs });
    printed.push(`${method.padEnd(7)} ${cell.padEnd(20)} ${String(seen.code).padStart(2)}  ${seen.text}`);
    expect(codes, `${seen.code} ${seen.text}`).toContain(seen.code);
    expect(performance.now() - startedMs).toBeLessThan(timeoutMs + 1000);
    for (const secret of [login.password, 'not-it']) expect(JSON.stringify(seen)).not.toContain(secret);
    return seen;
  };
}

/** A good certificate, one of another name and an expired one. */
async function lookAtTls(
  method: Method,
  ask: {
    readonly at: Place;
    readonly ca: string;
    readonly again: NonNullable<Place['again']>;
    readonly look: Look;
  },
): Promise<void> {
  const options = (place: Place) => ({
    ...place.options,
    ...place.tls?.options,
    TLS: { Mode: place.tls?.mode, CA: ask.ca },
  });
  const url = (place: Place) => place.tls?.url?.(place.tls.port) ?? place.url(place.tls?.port ?? 0);
  const good = await ask.look('TLS good', url(ask.at), optionsFor(method, options(ask.at)), [1]);
  expect(good.phases.ssl).toBeGreaterThan(0);
  for (const certificate of ['wrongName', 'expired'] as const) {
    await using other = await ask.again(certificate);
    const seen = await ask.look(`TLS ${certificate}`, url(other), optionsFor(method, options(other)), [6]);
    expect(seen.text).toMatch(certificate === 'expired' ? /expired 3 days ago/ : /127\.0\.0\.1|name/);
  }
}

function testRow(row: Row, printed: string[]): void {
  const missing = serversMissing(...row.needs);
  describe(`${row.method} against a real server`, retryBecause('a busy machine adds to a time limit'), () => {
    beforeEach(({ skip }) => skip(missing !== undefined, missing));
    let fixture: ServersFixture;
    let at: Place;
    const look = createLook(row.method, printed);
    beforeAll(async () => {
      if (missing !== undefined) return;
      fixture = await createServersFixture();
      at = await row.start(fixture);
    });
    afterAll(async () => {
      await at?.[Symbol.asyncDispose]();
      await fixture?.[Symbol.asyncDispose]();
    });

    test('ok', async () => {
      const seen = await look('ok', at.url(at.port), at.options, [1]);
      expect(seen.phases.connect).toBeGreaterThan(0);
    });
    test('refused', async () => {
      const port = await freePort();
      const seen = await look('refused', at.url(port), at.options, [3]);
      expect(seen.text).toBe(`connection refused by 127.0.0.1:${port}`);
    });
    test('firewall drop', async (context) => {
      const noWall = firewallMissing();
      if (noWall !== undefined) return context.skip(noWall);
      using _wall = dropPort(at.port);
      const seen = await look('firewall drop', at.url(at.port), at.options, [2]);
      expect(seen.phases.connect).toBeGreaterThan(2000);
    });
    test.each(Object.entries(faults))('%s', async (name, { fault, codes }) => {
      await using proxy = await startFaultProxy(at.port, fault(at));
      await look(name, at.url(proxy.port), at.options, exceptions[`${row.method} ${name}`] ?? codes);
    });
    test('wrong expectation', () => look('wrong expectation', at.url(at.port), at.wrongExpectation, [7]));
    test('wrong password', async () => {
      if (at.wrongPassword)
        await look(
          'wrong password',
          (at.privateUrl ?? at.url)(at.port),
          at.wrongPassword,
          [8],
          loginTimeoutMs,
        );
      else printed.push(`${row.method.padEnd(7)} ${'wrong password'.padEnd(20)}  -  no login here`);
    });
    test('wrong host key', async () => {
      if (at.wrongHostKey) await look('wrong host key', at.url(at.port), at.wrongHostKey, [6, 7]);
      else printed.push(`${row.method.padEnd(7)} ${'wrong host key'.padEnd(20)}  -  no host keys here`);
    });
    test('TLS: good, wrong name, expired', async () => {
      if (!at.tls || !at.again) {
        printed.push(`${row.method.padEnd(7)} ${'TLS'.padEnd(20)}  -  none in this server`);
        return;
      }
      await lookAtTls(row.method, {
        at,
        ca: readFileSync(fixture.certificates.caFile, 'utf8'),
        again: at.again,
        look,
      });
    });
  });
}

/** HTTP uses TLS because of the URL's scheme. */
function optionsFor(method: Method, options: Record<string, unknown>): Record<string, unknown> {
  if (method !== 'HTTP') return options;
  const tls = options['TLS'];
  return { ...options, TLS: typeof tls === 'object' && tls !== null && 'CA' in tls ? { CA: tls.CA } : {} };
}
