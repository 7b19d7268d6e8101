import type { FoundOptions, TargetOrReason } from '../found-check.ts';
import { urlFor } from '../values/address-method.ts';
import { authorityOf } from '../values/host-port.ts';
import {
  numberOf,
  recordOf,
  textOf,
  textsOf,
  truthOf,
  type UnknownRecord,
} from '../values/unknown-values.ts';
import { httpModuleTarget } from './http-module.ts';
import { ipFamily, tlsOptions } from './module-settings.ts';
import { tcpModuleTarget } from './tcp-module.ts';

/** Maps a target that a module of the blackbox_exporter probes. */
export function moduleTarget(module: UnknownRecord, target: string, hostHeader?: string): TargetOrReason {
  const prober = textOf(module['prober']) ?? '';
  const settings = recordOf(module[prober]) ?? {};
  switch (prober) {
    case 'http':
      return httpModuleTarget(settings, target, hostHeader);
    case 'icmp':
      return icmpTarget(settings, target);
    case 'tcp':
      return tcpModuleTarget(settings, target);
    case 'dns':
      return dnsTarget(settings, target);
    case 'grpc':
      return grpcTarget(settings, target);
    default:
      return `is probed by ${JSON.stringify(prober)}, for which there is no Method`;
  }
}

function icmpTarget(settings: UnknownRecord, target: string): TargetOrReason {
  const lost = ['source_ip_address', 'dont_fragment']
    .filter((name) => settings[name] !== undefined)
    .map((name) => `icmp.${name} of its module`);
  const options: FoundOptions = {
    Count: 1,
    Size: numberOf(settings['payload_size']),
    TTL: numberOf(settings['ttl']),
    IPFamily: ipFamily(settings),
  };
  return { method: 'PING', url: urlFor('PING', target, undefined), options, lost };
}

function grpcTarget(settings: UnknownRecord, target: string): TargetOrReason {
  const isSecure = truthOf(settings['tls']) === true;
  const lost: string[] = [];
  const options: FoundOptions = {
    Service: textOf(settings['service']),
    IPFamily: ipFamily(settings),
    TLS: isSecure ? tlsOptions(settings, lost) : undefined,
  };
  return { method: 'gRPC', url: `${isSecure ? 'grpcs' : 'grpc'}://${authorityOf(target)}`, options, lost };
}

/** Settings of the dns prober without an Option. */
const dnsUnsupported = [
  'validate_answer_rrs',
  'validate_authority_rrs',
  'validate_additional_rrs',
  'query_class',
  'source_ip_address',
];

function dnsTarget(settings: UnknownRecord, target: string): TargetOrReason {
  const name = textOf(settings['query_name']);
  if (name === undefined) return 'has no query_name in its module';
  const lost = dnsUnsupported
    .filter((setting) => settings[setting] !== undefined && settings[setting] !== 'IN')
    .map((setting) => `dns.${setting} of its module`);
  const [rcode, ...otherRcodes] = textsOf(settings['valid_rcodes']);
  if (otherRcodes.length > 0) lost.push(`the codes ${otherRcodes.join(', ')}`);
  const type = textOf(settings['query_type']) ?? 'ANY';
  if (type === 'ANY') lost.push('the type ANY: the query is for addresses (A)');
  const isSecure = truthOf(settings['dns_over_tls']) === true;
  const options: FoundOptions = {
    Server: authorityOf(target),
    Type: type === 'ANY' ? 'A' : type,
    Transport: isSecure ? 'TLS' : textOf(settings['transport_protocol']) === 'tcp' ? 'TCP' : undefined,
    ExpectRcode: rcode === 'NOERROR' ? undefined : rcode,
    Recursion: truthOf(settings['recursion_desired']) === false ? false : undefined,
    IPFamily: ipFamily(settings),
    TLS: isSecure ? tlsOptions(settings, lost) : undefined,
  };
  return { method: 'DNS', url: name.length > 1 ? name.replace(/\.$/, '') : name, options, lost };
}
