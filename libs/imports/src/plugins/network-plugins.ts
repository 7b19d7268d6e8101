import type { Json } from '@vantage/domain';
import type { FoundOptions, TargetOrReason } from '../found-check.ts';
import { hostPort, hostText } from '../values/host-port.ts';
import { numberOf } from '../values/unknown-values.ts';
import { ipFamily, milliseconds, type PluginArguments } from './plugin-arguments.ts';

/** `-c 500.0,60%` limits the round trip in milliseconds and the loss in percent. */
export function pingPlugin(args: PluginArguments, host: string): TargetOrReason {
  const [, rtt, loss] = /^([\d.]+)(?:ms)?,([\d.]+)%?$/.exec(args.value('c', 'critical') ?? '') ?? [];
  const maxLoss = numberOf(loss);
  const options: FoundOptions = {
    Count: numberOf(args.value('n', 'p', 'packets')),
    MaxRTTMs: numberOf(rtt),
    // A limit of 100 % is the same as no limit: one answer is enough.
    MaxLossPercent: maxLoss === undefined || maxLoss >= 100 ? undefined : maxLoss,
    IPFamily: ipFamily(args),
  };
  return {
    method: 'PING',
    url: hostText(host),
    options,
    lost: args.has('w', 'warning') ? ['its warning limits'] : [],
  };
}

export function tcpPlugin(args: PluginArguments, host: string): TargetOrReason {
  const port = numberOf(args.value('p', 'port'));
  if (port === undefined) return 'has no port (-p)';
  const send = args.value('s', 'send');
  const [expect, ...otherTexts] = args.values('e', 'expect');
  const withControlCharacters = (text: string) =>
    args.has('E') ? text.replaceAll('\\r', '\r').replaceAll('\\n', '\n').replaceAll('\\t', '\t') : text;
  const step: Record<string, Json> = {};
  if (send !== undefined) step['Send'] = withControlCharacters(send);
  if (expect !== undefined && expect !== '') step['Expect'] = withControlCharacters(expect);
  const options: FoundOptions = {
    Steps: Object.keys(step).length === 0 ? undefined : [step],
    SlowMs: milliseconds(args.value('w', 'warning')),
    IPFamily: ipFamily(args),
  };
  return {
    method: 'TCP',
    url: `${args.has('S', 'ssl') ? 'tls' : 'tcp'}://${hostPort(host, port)}`,
    options,
    lost: otherTexts.map((text) => `the further text expected ${JSON.stringify(text)}`),
  };
}

export function sshPlugin(args: PluginArguments, host: string): TargetOrReason {
  return {
    method: 'SSH',
    url: hostPort(args.free[0] ?? host, numberOf(args.value('p', 'port'))),
    options: { ExpectBanner: args.value('r', 'remote-version'), IPFamily: ipFamily(args) },
  };
}

/** `-H` of check_dns is the name to look up. */
export function dnsPlugin(args: PluginArguments, name: string): TargetOrReason {
  const expected = args
    .values('a', 'expected-address')
    .flatMap((list) => list.split(','))
    .filter((address) => address !== '');
  const options: FoundOptions = {
    Server: args.value('s', 'server'),
    Type: (args.value('q', 'querytype') ?? 'A').toUpperCase(),
    Expect: expected.length === 0 ? undefined : expected,
  };
  return { method: 'DNS', url: name, options };
}

export function digPlugin(args: PluginArguments, server: string): TargetOrReason {
  const name = args.value('l', 'query_address');
  if (name === undefined) return 'has no name to look up (-l)';
  const expected = args.value('a', 'expected_address');
  const options: FoundOptions = {
    Server: hostPort(server, numberOf(args.value('p', 'port'))),
    Type: (args.value('T', 'record_type') ?? 'A').toUpperCase(),
    Expect: expected === undefined ? undefined : [expected],
  };
  return { method: 'DNS', url: name, options };
}

export function mysqlPlugin(args: PluginArguments, host: string): TargetOrReason {
  const options: FoundOptions = {
    User: args.value('u', 'username'),
    Password: args.value('p', 'password'),
    Database: args.value('d', 'database'),
    Query: args.value('q', 'query'),
  };
  return {
    method: 'MySQL',
    url: hostPort(host, numberOf(args.value('P', 'port'))),
    options,
    lost: [
      ...(args.has('S', 'check-slave') ? ['the state of its replication'] : []),
      ...(args.has('q') && args.has('c', 'w') ? ['the limits for its result'] : []),
    ],
  };
}
