import { EventEmitter } from 'node:events';
import { systemClock } from '@vantage/kernel';
import { expect, it } from 'vitest';
import { createIcmpSocket } from './icmp-socket.ts';
import { type RawSocketModule, rawSocketTransport } from './raw-socket.ts';

/**
 * Stands for the package, which is not built here: answers every echo request as an IPv4 host would, on a later turn.
 */
function fakeModule(fate: 'answers' | 'fails'): RawSocketModule {
  return {
    AddressFamily: { IPv4: 1, IPv6: 2 },
    Protocol: { ICMP: 1, ICMPv6: 58 },
    SocketLevel: { IPPROTO_IP: 0, IPPROTO_IPV6: 41 },
    SocketOption: { IP_TTL: 2, IPV6_UNICAST_HOPS: 16 },
    createSocket() {
      const events = new EventEmitter();
      return {
        on: events.on.bind(events),
        setOption: () => undefined,
        pauseRecv: () => undefined,
        resumeRecv: () => undefined,
        close: () => undefined,
        send(packet, _offset, _length, address, before, after) {
          setImmediate(() => {
            before();
            if (fate === 'fails') return after(Object.assign(new Error('no'), { code: 'EHOSTUNREACH' }));
            const header = Buffer.alloc(20);
            header[0] = 0x45;
            header[8] = 57;
            const reply = Buffer.concat([header, packet]);
            reply[20] = 0;
            events.emit('message', reply, address);
          });
        },
      };
    },
  };
}

function open(load: () => RawSocketModule) {
  const transport = rawSocketTransport(load, 4, systemClock);
  return createIcmpSocket({ open: transport, family: 4, kind: 'raw', clock: systemClock, random: () => 0.3 });
}

it('answers through raw-socket as through the addon', async () => {
  const socket = open(() => fakeModule('answers'));
  if ('error' in socket) throw new Error(socket.error);
  const answer = await socket.ping({ address: '192.0.2.1', size: 20, timeoutMs: 1000 });
  expect(answer).toMatchObject({ kind: 'reply', from: '192.0.2.1', ttl: 57, bytes: 20 });
  socket.close();
});

it('reports a send that raw-socket could not do', async () => {
  const socket = open(() => fakeModule('fails'));
  if ('error' in socket) throw new Error(socket.error);
  const answer = await socket.ping({ address: '192.0.2.1', size: 20, timeoutMs: 1000 });
  expect(answer).toEqual({ kind: 'unsent', code: 'EHOSTUNREACH' });
  socket.close();
});

it('says so when the package is missing', () => {
  const missing = () => {
    throw Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' });
  };
  expect(open(missing)).toMatchObject({ error: 'Cannot find module', code: 'MODULE_NOT_FOUND' });
});
