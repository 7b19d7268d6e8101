import { resultCode } from '@vantage/domain';
import type { LibrarySession, NetSnmp } from 'net-snmp';
import { expect, test } from 'vitest';
import type { Datagrams } from '../../net/datagrams.ts';
import { createSnmpClient, loadNetSnmp } from './snmp-client.ts';
import { snmpOptions } from './snmp-options.ts';

const waits = { firstMs: 1000, longMs: 1000, laterMs: 1000 };
const user = { Version: 'v3', User: 'me', AuthKey: '12345678', PrivKey: '12345678' };

/** A datagram of v3 with these flags; the rest is not read. */
const message = (flags: number) =>
  Buffer.from([0x30, 18, 2, 1, 3, 0x30, 13, 2, 1, 7, 2, 2, 4, 0, 4, 1, flags, 2, 1, 3]);

/** A library that accepts every datagram as the answer, as net-snmp does with unprotected ones. */
function trusting(library: NetSnmp): NetSnmp {
  return {
    ...library,
    createV3Session(_target, _user, { dgramModule }) {
      const socket = dgramModule.createSocket('udp4');
      let answered: (error: null, varbinds: readonly []) => void = () => {};
      const session: LibrarySession = {
        on() {},
        get(_oids, callback) {
          answered = callback;
          socket.send(Buffer.from('request'), 0, 7, 161, '', () => {});
        },
        getNext() {},
        getBulk() {},
        onMsg: () => answered(null, []),
        cancelRequests() {},
      };
      return session;
    },
  };
}

function answering(answer: Buffer): Datagrams {
  return {
    peer: '192.0.2.2:161',
    local: { address: '192.0.2.9', port: 40_000 },
    received: 0,
    ask: async (_request, read) => read(answer),
    [Symbol.dispose]() {},
  };
}

test.each([
  [0, false],
  [1, false],
  [2, false],
  [3, true],
])('an encrypted request accepts no answer with the flags %i: %s', async (flags, isAccepted) => {
  const library = trusting(await loadNetSnmp());
  using client = createSnmpClient(library, answering(message(flags)), snmpOptions.parse(user), waits);
  const reading = client.get(['1.3.6.1.2.1.1.3.0']);
  if (isAccepted) expect(await reading).toEqual([undefined]);
  else
    await expect(reading).rejects.toMatchObject({
      code: resultCode.protocol,
      message: '192.0.2.2:161 sent a malformed answer: it lacks the protection of the request',
    });
});

test('the keys that the library derived are forgotten before they are many', async () => {
  const library = await loadNetSnmp();
  const { Authentication } = library;
  const before = Authentication.authToKeyCache;
  Authentication.authToKeyCache = Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [`${at}`, Buffer.alloc(32)]),
  );
  using _client = createSnmpClient(library, answering(message(3)), snmpOptions.parse(user), waits);
  expect(Authentication.authToKeyCache).toEqual({});
  Authentication.authToKeyCache = before;
});
