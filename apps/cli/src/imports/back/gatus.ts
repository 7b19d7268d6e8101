import type { Json } from '@vantage/domain';
import { stringify } from 'yaml';
import { jsonObject } from '../values.ts';
import { type Exported, type ExportedDevice, nameOf } from './exported-device.ts';

interface Endpoint {
  readonly url: string;
  readonly conditions: readonly string[];
  readonly more?: Readonly<Record<string, Json>>;
  /** Options that found a place. */
  readonly used: readonly string[];
}

/** The devices as the configuration of Gatus. */
export function exportGatus(devices: readonly ExportedDevice[]): Exported {
  const lost: Exported['lost'][number][] = [];
  const taken = new Set<string>();
  const endpoints = devices.flatMap((device) => {
    const at = device.device_id;
    const endpoint = endpointOf(device);
    if (endpoint === undefined) {
      lost.push({ at, name: nameOf(device), text: `Method ${device.Method} has no protocol in Gatus` });
      return [];
    }
    const [first, ...others] = device.Tags.map(({ Name }) => Name);
    const missing = Object.keys(device.Options).filter((name) => !endpoint.used.includes(name));
    if (missing.length > 0)
      lost.push({ at, name: nameOf(device), text: `its Options ${missing.join(', ')}` });
    if (others.length > 0)
      lost.push({ at, name: nameOf(device), text: `its tags ${others.join(', ')} (Gatus has one group)` });
    if (device.device_master_id !== null) lost.push({ at, name: nameOf(device), text: 'its master' });
    let name = nameOf(device);
    // Name and group are the identity of an endpoint.
    for (let count = 2; taken.has(`${first} ${name}`); count += 1) name = `${nameOf(device)} (${count})`;
    taken.add(`${first} ${name}`);
    return [
      {
        name,
        ...(first !== undefined && { group: first }),
        ...(!device.Enabled && { enabled: false }),
        url: endpoint.url,
        interval: device.FrequencySeconds === null ? `${device.Frequency}m` : `${device.FrequencySeconds}s`,
        ...endpoint.more,
        client: { timeout: `${device.Timeout}s`, ...jsonObject(endpoint.more?.['client']) },
        conditions: endpoint.conditions,
      },
    ];
  });
  return { text: stringify({ endpoints }, { lineWidth: 0, aliasDuplicateObjects: false }), lost };
}

function endpointOf(device: ExportedDevice): Endpoint | undefined {
  const { Method, URL, Options } = device;
  const bare = URL.replace(/^[a-z0-9+.-]+:\/\//i, '');
  const place = bare.slice(bare.lastIndexOf('@') + 1).replace(/\/.*$/s, '');
  const connected = ['[CONNECTED] == true'];
  switch (Method) {
    case 'HTTP':
      return httpEndpoint(device);
    case 'PING': {
      const limit = Options['MaxRTTMs'];
      const conditions =
        typeof limit === 'number' ? [...connected, `[RESPONSE_TIME] < ${Math.ceil(limit)}`] : connected;
      return { url: `icmp://${place}`, conditions, used: ['MaxRTTMs', 'Count'] };
    }
    case 'TCP':
      return {
        url: `${URL.startsWith('tls://') ? 'tls' : 'tcp'}://${place}`,
        conditions: connected,
        used: [],
      };
    case 'SSH':
      return { url: `ssh://${/:\d+$/.test(place) ? place : `${place}:22`}`, conditions: connected, used: [] };
    case 'DNS': {
      const server = Options['Server'];
      if (typeof server !== 'string') return undefined;
      const type = typeof Options['Type'] === 'string' ? Options['Type'] : 'A';
      const rcode = typeof Options['ExpectRcode'] === 'string' ? Options['ExpectRcode'] : 'NOERROR';
      return {
        url: server,
        more: { dns: { 'query-name': URL, 'query-type': type } },
        conditions: [`[DNS_RCODE] == ${rcode}`],
        used: ['Server', 'Type', 'ExpectRcode'],
      };
    }
    default:
      return undefined;
  }
}

function httpEndpoint({ URL, Options }: ExportedDevice): Endpoint {
  const used = [
    'Method',
    'Headers',
    'Body',
    'ExpectText',
    'RejectText',
    'MaxTimeMs',
    'ExpectJSONPath',
    'ExpectJSONValue',
    'ExpectStatus',
  ];
  const conditions: string[] = [];
  const statuses = Array.isArray(Options['ExpectStatus'])
    ? Options['ExpectStatus'].filter((each) => typeof each === 'string')
    : [];
  const [range] = statuses;
  const upTo = statuses.length === 1 ? /^[12]00-(\d{3})$/.exec(range ?? '')?.[1] : undefined;
  if (upTo !== undefined) conditions.push(`[STATUS] <= ${upTo}`);
  else if (statuses.length === 0) conditions.push('[STATUS] < 400');
  else if (statuses.every((each) => /^\d{3}$/.test(each)))
    conditions.push(
      statuses.length === 1 ? `[STATUS] == ${range}` : `[STATUS] == any(${statuses.join(', ')})`,
    );
  else used.pop();
  const text = (name: string) => (typeof Options[name] === 'string' ? Options[name] : undefined);
  if (text('ExpectText') !== undefined) conditions.push(`[BODY] == pat(*${text('ExpectText')}*)`);
  if (text('RejectText') !== undefined) conditions.push(`[BODY] != pat(*${text('RejectText')}*)`);
  const value = text('ExpectJSONValue');
  if (text('ExpectJSONPath')?.startsWith('$.') && value !== undefined)
    conditions.push(`[BODY]${text('ExpectJSONPath')?.slice(1)} == ${value}`);
  if (typeof Options['MaxTimeMs'] === 'number') conditions.push(`[RESPONSE_TIME] < ${Options['MaxTimeMs']}`);
  const tls = jsonObject(Options['TLS']) ?? {};
  const days = tls['MinDaysLeft'];
  if (typeof days === 'number' && days > 0) conditions.push(`[CERTIFICATE_EXPIRATION] > ${days * 24}h`);
  if (Object.keys(tls).every((name) => name === 'Verify' || name === 'MinDaysLeft')) used.push('TLS');
  if (Options['MaxRedirects'] === 0) used.push('MaxRedirects');
  const client = {
    ...(tls['Verify'] === false && { insecure: true }),
    ...(Options['MaxRedirects'] === 0 && { 'ignore-redirect': true }),
  };
  const more: Record<string, Json> = { client };
  if (text('Method') !== undefined && text('Method') !== 'GET') more['method'] = text('Method') ?? '';
  if (Options['Headers'] !== undefined) more['headers'] = Options['Headers'];
  if (text('Body') !== undefined) more['body'] = text('Body') ?? '';
  return { url: URL, conditions, more, used };
}
