import { listen } from '@vantage/probes/testing';
import { bulk, serveRedis } from '../../libs/probes/src/testing/redis-server.ts';
import { reference, sentinel } from './sentinel.ts';
import type { EchoTarget } from './sentinel-targets.ts';
import type { NewDevice } from './sentinel-welcome.ts';

/** The servers of databases and message services. */
interface ServiceServers {
  /** Repeats every line, and speaks none of these protocols. */
  readonly tcp: string;
  /** Repeats every request of HTTP. */
  readonly web: string;
  readonly serve: (target: Promise<EchoTarget>) => Promise<string>;
}

/** Devices of databases and message services, with servers that refuse a login and servers that accept one. */
export async function serviceDevices(servers: ServiceServers): Promise<readonly NewDevice[]> {
  return [...(await redisDevices(servers))];
}

/** The good server returns the password. */
async function redisDevices({ tcp, serve }: ServiceServers): Promise<readonly NewDevice[]> {
  const password = sentinel('redis');
  const good = await serve(
    listen((socket) => serveRedis(socket, { password, answer: () => bulk(`password=${password}`) })),
  );
  const get = { Command: `GET ${reference('KEPT')}`, ExpectValue: reference('KEPT') };
  return [
    { Method: 'Redis', URL: `redis://me:${sentinel('url')}@${tcp}` },
    { Method: 'Redis', URL: tcp, Options: { Password: sentinel('options') } },
    { Method: 'Redis', URL: `redis://:${reference('ODD')}@${tcp}/1`, Options: { User: 'me' } },
    { Method: 'Redis', URL: tcp, Options: get },
    { Method: 'Redis', URL: good, Options: { Password: password, Command: 'GET a' } },
    { Method: 'Redis', URL: good, Options: { Password: password, Command: 'GET a', ExpectValue: 'never' } },
  ];
}
