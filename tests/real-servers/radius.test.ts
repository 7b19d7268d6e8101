// RADIUS against FreeRADIUS of Debian: Status-Server, logins by PAP, and each fault.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { probeFor } from '@vantage/probes';
import { runTest } from '@vantage/probes/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createServersFixture, type ServersFixture, write } from './servers-fixture.ts';
import { packages, serversMissing, startUdp, type UdpServer } from './udp-servers.ts';

const secret = 'sentinel-shared-7';
const password = 'sentinel-pap-7-with-more-than-sixteen-characters';

/** A configuration of its own, with one user, for the address of loopback. */
function startFreeradius(fixture: ServersFixture): Promise<UdpServer> {
  return startUdp((port) => {
    const folder = path.join(fixture.folder, `radius-${port}`);
    mkdirSync(folder);
    write(folder, 'users', `me Cleartext-Password := "${password}"\n\tReply-Message := "welcome me"\n`);
    write(
      folder,
      'radiusd.conf',
      `libdir = /usr/lib/freeradius
logdir = ${folder}
run_dir = ${folder}
correct_escapes = true
log {
  destination = stdout
}
security {
  max_attributes = 200
  reject_delay = 0
  status_server = yes
}
thread pool {
  start_servers = 1
  max_servers = 2
  min_spare_servers = 1
  max_spare_servers = 2
}
client here {
  ipaddr = 127.0.0.1
  secret = ${secret}
}
modules {
  pap {
  }
  files {
    usersfile = ${folder}/users
  }
}
server default {
  listen {
    type = auth
    ipaddr = 127.0.0.1
    port = ${port}
  }
  authorize {
    files
    pap
  }
  authenticate {
    Auth-Type PAP {
      pap
    }
  }
}
`,
      0o600,
    );
    return [packages.freeradius, '-f', '-l', 'stdout', '-d', folder];
  });
}

const missing = serversMissing('freeradius');

describe('RADIUS at FreeRADIUS', () => {
  beforeEach(({ skip }) => skip(missing !== undefined, missing));
  let fixture: ServersFixture;
  let server: UdpServer;
  beforeAll(async () => {
    if (missing !== undefined) return;
    fixture = await createServersFixture();
    server = await startFreeradius(fixture);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await fixture?.[Symbol.asyncDispose]();
  });
  const look = async (options: object, timeoutMs = 8_000) => {
    const probe = probeFor('RADIUS');
    if (!probe) throw new Error('no probe for RADIUS');
    const seen = await runTest(probe, `radius://127.0.0.1:${server.port}`, options, { timeoutMs });
    for (const text of [secret, password]) expect(JSON.stringify(seen)).not.toContain(text);
    return seen;
  };
  const login = { Secret: secret, User: 'me', Password: password };

  test('Status-Server', async () => {
    const seen = await look({ Secret: secret, RequireMessageAuthenticator: false });
    expect(seen, seen.text).toMatchObject({ code: 1, phases: { connect: 0 } });
    expect(seen.text).toMatch(/^Access-Accept for the status/);
  });

  test('logins, with a password of several blocks', async () => {
    const anyAnswer = { RequireMessageAuthenticator: false };
    const good = await look({ ...login, ...anyAnswer });
    expect(good.text).toBe('Access-Accept for user "me": "welcome me"');
    expect(good.code).toBe(1);
    const wrong = await look({ ...login, ...anyAnswer, Password: 'not-it' });
    expect(wrong.code).toBe(8);
    expect(wrong.text).toMatch(/^login refused: Access-Reject for user "me"/);
    expect(
      await look({ ...login, ...anyAnswer, Password: 'not-it', ExpectCode: 'Access-Reject' }),
    ).toMatchObject({ code: 1 });
  });

  test('a Message-Authenticator is required by default, and newer servers send it', async () => {
    const seen = await look(login);
    const facts = seen.extended['RADIUS'];
    if (typeof facts !== 'object' || facts === null || !('MessageAuthenticator' in facts))
      throw new Error('no facts');
    expect(seen.code).toBe(facts['MessageAuthenticator'] === true ? 1 : 7);
  });

  test('another secret is answered by silence, with a note', async () => {
    const seen = await look({ ...login, Secret: 'not-it' }, 1_500);
    expect(seen.code).toBe(2);
    expect(seen.extended['Note']).toContain('whose Secret is another one');
  });
});
