// SIP against Kamailio of Debian: OPTIONS over UDP and TCP, and a refusal.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { probeFor } from '@vantage/probes';
import { runTest } from '@vantage/probes/testing';
import { freePort } from '@vantage/testing/free-port';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createServersFixture,
  packages,
  type Server,
  type ServersFixture,
  serve,
  serversMissing,
  write,
} from './servers-fixture.ts';

/** Kamailio answers OPTIONS for the server itself, and 404 for every user. */
async function startKamailio(fixture: ServersFixture): Promise<Server> {
  const port = await freePort();
  const folder = path.join(fixture.folder, `kamailio-${port}`);
  mkdirSync(folder);
  const conf = write(
    folder,
    'kamailio.cfg',
    `#!KAMAILIO
debug=0
log_stderror=yes
children=1
tcp_children=1
auto_aliases=no
dns=no
rev_dns=no
listen=udp:127.0.0.1:${port}
listen=tcp:127.0.0.1:${port}
loadmodule "sl.so"
request_route {
  if (method=="OPTIONS" && !(uri=~"@")) {
    sl_send_reply("200", "Keepalive");
    exit;
  }
  sl_send_reply("404", "Not here");
  exit;
}
`,
  );
  const args = [
    '-DD',
    '-E',
    '-f',
    conf,
    '-w',
    folder,
    '-Y',
    folder,
    '-P',
    `${folder}/pid`,
    '-m',
    '16',
    '-M',
    '4',
  ];
  return serve(port, packages.kamailio, args);
}

const missing = serversMissing('kamailio');

describe('SIP at Kamailio', () => {
  beforeEach(({ skip }) => skip(missing !== undefined, missing));
  let fixture: ServersFixture;
  let server: Server;
  beforeAll(async () => {
    if (missing !== undefined) return;
    fixture = await createServersFixture();
    server = await startKamailio(fixture);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await fixture?.[Symbol.asyncDispose]();
  });
  const look = (options: object, port = server.port) => {
    const probe = probeFor('SIP');
    if (!probe) throw new Error('no probe for SIP');
    return runTest(probe, `sip:127.0.0.1:${port}`, options, { timeoutMs: 8_000 });
  };

  test.each(['UDP', 'TCP'])('OPTIONS over %s', async (Transport) => {
    const seen = await look({ Transport });
    expect(seen, seen.text).toMatchObject({ code: 1, text: '200 Keepalive' });
    expect(seen.phases.connect > 0).toBe(Transport === 'TCP');
    expect(seen.extended['Server']).toEqual(expect.stringMatching(/kamailio/i));
    expect(await look({ Transport, User: '100' })).toMatchObject({
      code: 3,
      text: 'expected 200-299, got "404 Not here"',
    });
    expect(await look({ Transport, User: '100', ExpectStatus: ['404'] })).toMatchObject({ code: 1 });
  });

  test('a port without a server is refused', async () => {
    const port = await freePort();
    expect(await look({}, port)).toMatchObject({ code: 3, text: `connection refused by 127.0.0.1:${port}` });
  });
});
