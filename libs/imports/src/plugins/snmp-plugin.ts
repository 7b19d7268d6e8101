import type { Json } from '@vantage/domain';
import type { TargetOrReason } from '../found-check.ts';
import { hostPort } from '../values/host-port.ts';
import { numberOf } from '../values/unknown-values.ts';
import { ipFamily, type PluginArguments } from './plugin-arguments.ts';

const versions: Readonly<Record<string, string>> = { '1': 'v1', '2c': 'v2c', '3': 'v3' };
const privProtocols: Readonly<Record<string, string>> = {
  DES: 'DES',
  AES: 'AES',
  AES128: 'AES',
  AES256: 'AES256',
};

/** `-o` has OIDs with commas or blanks between them, `-c` their ranges in the same order. */
export function snmpPlugin(args: PluginArguments, host: string): TargetOrReason {
  const oids = (args.value('o', 'oid') ?? '').split(/[\s,]+/).filter((oid) => oid !== '');
  if (oids.length === 0) return 'has no OID (-o)';
  const named = oids.find((oid) => !/^\.?[0-2](\.\d+)+$/.test(oid));
  if (named !== undefined) return `reads ${JSON.stringify(named)}: write its OID as numbers`;
  const ranges = (args.value('c', 'critical') ?? '').split(',');
  const labels = (args.value('l', 'label') ?? '').split(/[\s,]+/);
  const version = versions[args.value('P', 'protocol') ?? '1'] ?? 'v1';
  const isV3 = version === 'v3';
  const ranged = oids.map((_, at) => limitsOf(ranges[at] ?? ''));
  return {
    method: 'SNMP',
    url: hostPort(host, numberOf(args.value('p', 'port'))),
    options: {
      Version: version,
      Community: isV3 ? undefined : args.value('C', 'community'),
      User: isV3 ? args.value('U', 'secname') : undefined,
      AuthProtocol: isV3 ? authProtocolOf(args.value('a', 'authproto')) : undefined,
      AuthKey: isV3 ? args.value('A', 'authpasswd') : undefined,
      PrivProtocol: isV3 ? privProtocols[(args.value('x', 'privproto') ?? '').toUpperCase()] : undefined,
      PrivKey: isV3 ? args.value('X', 'privpasswd') : undefined,
      Context: isV3 ? args.value('N', 'context') : undefined,
      Values: oids.map((OID, at) =>
        watchedValue(OID, labels[at], ranged[at], at === 0 ? args.value('s', 'string') : undefined),
      ),
      IPFamily: ipFamily(args),
    },
    lost: [
      ...(args.has('w', 'warning') ? ['its warning limits'] : []),
      ...(args.has('r', 'R', 'ereg', 'eregi') ? ['its regular expression'] : []),
      ...ranges
        .filter((range) => range !== '' && limitsOf(range) === undefined)
        .map((range) => `its critical range ${range}`),
    ],
  };
}

function watchedValue(
  OID: string,
  label: string | undefined,
  limits: Readonly<Record<string, number>> | undefined,
  expected: string | undefined,
): Json {
  return {
    OID,
    ...(label === undefined || label === '' ? {} : { Label: label }),
    ...limits,
    ...(expected === undefined ? {} : { Expect: expected }),
  };
}

/** `10` is 0 to 10, `10:` at least 10, `~:10` at most 10, `10:20` both. A range with @ is inverted. */
function limitsOf(range: string): Readonly<Record<string, number>> | undefined {
  const [, from, to] = /^(?:(~|-?[\d.]+)?:)?(-?[\d.]+)?$/.exec(range.trim()) ?? [];
  const max = numberOf(to);
  const min = range.includes(':') ? numberOf(from) : 0;
  if (range === '' || (max === undefined && min === undefined)) return undefined;
  return { ...(min === undefined ? {} : { Min: min }), ...(max === undefined ? {} : { Max: max }) };
}

function authProtocolOf(name: string | undefined): string | undefined {
  const plain = name?.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  return ['MD5', 'SHA', 'SHA224', 'SHA256', 'SHA384', 'SHA512'].find((known) => known === plain);
}
