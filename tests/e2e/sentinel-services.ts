import { listen } from '@vantage/probes/testing';
import { serveGrpc } from '../../libs/probes/src/testing/grpc-server.ts';
import { serveMqtt } from '../../libs/probes/src/testing/mqtt-server.ts';
import { resultMessages, servePostgres } from '../../libs/probes/src/testing/postgresql-server.ts';
import { bulk, serveRedis } from '../../libs/probes/src/testing/redis-server.ts';
import { serveWebSocket } from '../../libs/probes/src/testing/websocket-server.ts';
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
  return [
    ...(await redisDevices(servers)),
    ...(await grpcDevices(servers)),
    ...(await websocketDevices(servers)),
    ...(await mqttDevices(servers)),
    ...(await postgresqlDevices(servers)),
  ];
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

/** The good server returns the password. */
async function postgresqlDevices({ tcp, serve }: ServiceServers): Promise<readonly NewDevice[]> {
  const password = sentinel('postgresql');
  const query = () => resultMessages([['text', 25]], [[`password=${password}`]]);
  const good = await serve(listen((socket) => servePostgres(socket, { user: 'me', password, query })));
  const Options = { User: 'me', Password: password, Query: 'select 1' };
  const kept = { Query: `select '${reference('KEPT')}'`, ExpectResult: reference('KEPT') };
  return [
    { Method: 'PostgreSQL', URL: `postgresql://me:${sentinel('url')}@${tcp}/db` },
    { Method: 'PostgreSQL', URL: tcp, Options: { User: 'me', Password: sentinel('options') } },
    { Method: 'PostgreSQL', URL: `postgresql://me:${reference('ODD')}@${tcp}`, Options: kept },
    { Method: 'PostgreSQL', URL: good, Options },
    { Method: 'PostgreSQL', URL: good, Options: { ...Options, ExpectResult: 'never' } },
  ];
}

/** The good server keeps the password as a message. */
async function mqttDevices({ tcp, serve }: ServiceServers): Promise<readonly NewDevice[]> {
  const password = sentinel('mqtt');
  const retained = `password=${password}`;
  const good = await serve(listen((socket) => serveMqtt(socket, { user: 'me', password, retained })));
  const Options = { User: 'me', Password: password, Topic: 'a', ExpectMessage: 'password' };
  const kept = { Topic: `a/${reference('KEPT')}`, Message: reference('KEPT') };
  return [
    { Method: 'MQTT', URL: `mqtt://me:${sentinel('url')}@${tcp}` },
    { Method: 'MQTT', URL: tcp, Options: { User: 'me', Password: sentinel('options'), Version: '5' } },
    { Method: 'MQTT', URL: `mqtt://me:${reference('ODD')}@${tcp}`, Options: kept },
    { Method: 'MQTT', URL: good, Options },
    { Method: 'MQTT', URL: good, Options: { ...Options, ExpectMessage: 'never' } },
  ];
}

/** The good server repeats the messages. */
async function websocketDevices({ web, serve }: ServiceServers): Promise<readonly NewDevice[]> {
  const good = await serve(listen((socket) => serveWebSocket(socket)));
  const Headers = { Authorization: `Bearer ${sentinel('bearer')}`, 'X-Api-Key': sentinel('header') };
  const echo = { Send: reference('KEPT'), ExpectText: reference('KEPT') };
  return [
    { Method: 'WebSocket', URL: `ws://me:${sentinel('url')}@${web}/no` },
    { Method: 'WebSocket', URL: `ws://${web}/yes`, Options: { User: 'me', Password: sentinel('options') } },
    { Method: 'WebSocket', URL: `ws://${web}/no?token=${reference('ODD')}`, Options: { Headers } },
    { Method: 'WebSocket', URL: `ws://${good}/`, Options: { Headers, ...echo } },
    { Method: 'WebSocket', URL: `ws://${good}/`, Options: { ...echo, ExpectText: 'never' } },
  ];
}

/** The good server answers without a login. */
async function grpcDevices({ tcp, serve }: ServiceServers): Promise<readonly NewDevice[]> {
  const good = await serve(listen(serveGrpc()));
  const Metadata = { authorization: `Bearer ${sentinel('bearer')}` };
  return [
    { Method: 'gRPC', URL: tcp, Options: { Metadata } },
    { Method: 'gRPC', URL: tcp, Options: { Metadata: { 'x-note': reference('KEPT') } } },
    { Method: 'gRPC', URL: good, Options: { Metadata } },
  ];
}
