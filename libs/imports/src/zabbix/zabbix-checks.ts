import type { FoundOptions, TargetOrReason } from '../found-check.ts';
import { hostPort, hostText } from '../values/host-port.ts';
import { numberOf } from '../values/unknown-values.ts';

/** Maps a simple check: `icmpping[target,packets,interval,size,timeout]`, `net.tcp.service[service,ip,port]`. */
export function simpleCheckTarget(key: string, hostAddress: string | undefined): TargetOrReason {
  const [, name = '', list = ''] = /^([\w.]+)(?:\[(.*)\])?$/s.exec(key) ?? [];
  const parameters = list.split(',').map((parameter) => parameter.trim().replaceAll(/^"|"$/g, ''));
  const parameter = (index: number) => parameters[index] || undefined;
  if (/^icmpping(loss|sec)?$/.test(name)) {
    const address = parameter(0) ?? hostAddress;
    if (address === undefined) return 'has no address';
    const options: FoundOptions = { Count: numberOf(parameter(1)), Size: numberOf(parameter(3)) };
    return {
      method: 'PING',
      url: hostText(address),
      options,
      lost: name === 'icmpping' ? [] : ['its limit, which is in a trigger'],
    };
  }
  if (/^net\.udp\.service(\.perf)?$/.test(name) && parameter(0) === 'ntp') {
    const host = parameter(1) ?? hostAddress;
    return host === undefined
      ? 'has no address'
      : { method: 'NTP', url: hostPort(host, numberOf(parameter(2))) };
  }
  if (name !== 'net.tcp.service' && name !== 'net.tcp.service.perf')
    return `is the simple check ${key}, for which there is no Method`;
  const address = parameter(1) ?? hostAddress;
  if (address === undefined) return 'has no address';
  return serviceTarget(parameter(0) ?? '', address, numberOf(parameter(2)));
}

const methodsByService = {
  ssh: 'SSH',
  smtp: 'SMTP',
  ftp: 'FTP',
  pop: 'POP3',
  nntp: 'NNTP',
  imap: 'IMAP4',
  telnet: 'TELNET',
  ldap: 'LDAP',
} as const;

function serviceTarget(service: string, address: string, port: number | undefined): TargetOrReason {
  for (const [name, method] of Object.entries(methodsByService))
    if (name === service) return { method, url: hostPort(address, port) };
  if (service === 'http' || service === 'https')
    return { method: 'TCP', url: `tcp://${hostPort(address, port ?? (service === 'https' ? 443 : 80))}` };
  if (service === 'tcp' && port !== undefined)
    return { method: 'TCP', url: `tcp://${hostPort(address, port)}` };
  return `checks the service ${JSON.stringify(service)} without a port that is known`;
}
