import type { Json } from '@vantage/domain';
import { withoutScheme } from '../values/host-port.ts';
import { jsonObject } from '../values/unknown-values.ts';
import type { ExportedDevice } from './exported-device.ts';

/** The fields of a Gatus endpoint that depend on the Method. */
export interface GatusEndpoint {
  readonly url: string;
  readonly conditions: readonly string[];
  readonly otherFields?: Readonly<Record<string, Json>>;
  /** The Options that the endpoint expresses. */
  readonly usedOptions: readonly string[];
}

/** The endpoint of a device; undefined where Gatus has no protocol for its Method. */
export function gatusEndpoint(device: ExportedDevice): GatusEndpoint | undefined {
  const { Method, URL, Options } = device;
  const bare = withoutScheme(URL);
  const host = bare.slice(bare.lastIndexOf('@') + 1).replace(/\/.*$/s, '');
  const connected = ['[CONNECTED] == true'];
  switch (Method) {
    case 'HTTP':
      return httpEndpoint(device);
    case 'PING': {
      const maxMs = Options['MaxRTTMs'];
      const conditions =
        typeof maxMs === 'number' ? [...connected, `[RESPONSE_TIME] < ${Math.ceil(maxMs)}`] : connected;
      return { url: `icmp://${host}`, conditions, usedOptions: ['MaxRTTMs', 'Count'] };
    }
    case 'TCP': {
      const scheme = URL.startsWith('tls://') ? 'tls' : 'tcp';
      return { url: `${scheme}://${host}`, conditions: connected, usedOptions: [] };
    }
    case 'WebSocket': {
      const send = Options['Send'];
      const text = Options['ExpectText'];
      return {
        url: withScheme('ws', URL),
        conditions: typeof text === 'string' ? [...connected, `[BODY] == pat(*${text}*)`] : connected,
        otherFields: typeof send === 'string' ? { body: send } : {},
        usedOptions: ['Send', 'ExpectText', 'Ping'],
      };
    }
    case 'gRPC':
      return { url: withScheme('grpc', URL), conditions: connected, usedOptions: [] };
    case 'SSH':
      return {
        url: `ssh://${/:\d+$/.test(host) ? host : `${host}:22`}`,
        conditions: connected,
        usedOptions: [],
      };
    case 'DNS':
      return dnsEndpoint(device);
    default:
      return undefined;
  }
}

/** The URL with a scheme and without a login. */
function withScheme(scheme: string, url: string): string {
  const whole = url.includes('://') ? url : `${scheme}://${url}`;
  return whole.replace(/^([a-z]+:\/\/)[^@/?#]*@/i, '$1');
}

function dnsEndpoint({ URL, Options }: ExportedDevice): GatusEndpoint | undefined {
  const server = Options['Server'];
  if (typeof server !== 'string') return undefined;
  const type = typeof Options['Type'] === 'string' ? Options['Type'] : 'A';
  const rcode = typeof Options['ExpectRcode'] === 'string' ? Options['ExpectRcode'] : 'NOERROR';
  return {
    url: server,
    otherFields: { dns: { 'query-name': URL, 'query-type': type } },
    conditions: [`[DNS_RCODE] == ${rcode}`],
    usedOptions: ['Server', 'Type', 'ExpectRcode'],
  };
}

function httpEndpoint({ URL, Options }: ExportedDevice): GatusEndpoint {
  const text = (name: string) => (typeof Options[name] === 'string' ? Options[name] : undefined);
  const tls = jsonObject(Options['TLS']) ?? {};
  const status = statusCondition(Options['ExpectStatus']);
  const conditions = status === undefined ? [] : [status];
  if (text('ExpectText') !== undefined) conditions.push(`[BODY] == pat(*${text('ExpectText')}*)`);
  if (text('RejectText') !== undefined) conditions.push(`[BODY] != pat(*${text('RejectText')}*)`);
  const value = text('ExpectJSONValue');
  if (text('ExpectJSONPath')?.startsWith('$.') && value !== undefined)
    conditions.push(`[BODY]${text('ExpectJSONPath')?.slice(1)} == ${value}`);
  if (typeof Options['MaxTimeMs'] === 'number') conditions.push(`[RESPONSE_TIME] < ${Options['MaxTimeMs']}`);
  const days = tls['MinDaysLeft'];
  if (typeof days === 'number' && days > 0) conditions.push(`[CERTIFICATE_EXPIRATION] > ${days * 24}h`);
  const client = {
    ...(tls['Verify'] === false && { insecure: true }),
    ...(Options['MaxRedirects'] === 0 && { 'ignore-redirect': true }),
  };
  const otherFields: Record<string, Json> = { client };
  if (text('Method') !== undefined && text('Method') !== 'GET') otherFields['method'] = text('Method') ?? '';
  if (Options['Headers'] !== undefined) otherFields['headers'] = Options['Headers'];
  if (text('Body') !== undefined) otherFields['body'] = text('Body') ?? '';
  const usedOptions = [
    'Method',
    'Headers',
    'Body',
    'ExpectText',
    'RejectText',
    'MaxTimeMs',
    'ExpectJSONPath',
    'ExpectJSONValue',
    ...(status === undefined ? [] : ['ExpectStatus']),
    ...(Object.keys(tls).every((name) => name === 'Verify' || name === 'MinDaysLeft') ? ['TLS'] : []),
    ...(Options['MaxRedirects'] === 0 ? ['MaxRedirects'] : []),
  ];
  return { url: URL, conditions, otherFields, usedOptions };
}

/** The condition of ExpectStatus; undefined where Gatus cannot express it. */
function statusCondition(expectStatus: Json | undefined): string | undefined {
  const statuses = Array.isArray(expectStatus)
    ? expectStatus.filter((status) => typeof status === 'string')
    : [];
  const [first] = statuses;
  const maxStatus = statuses.length === 1 ? /^[12]00-(\d{3})$/.exec(first ?? '')?.[1] : undefined;
  if (maxStatus !== undefined) return `[STATUS] <= ${maxStatus}`;
  if (statuses.length === 0) return '[STATUS] < 400';
  if (!statuses.every((status) => /^\d{3}$/.test(status))) return undefined;
  return statuses.length === 1 ? `[STATUS] == ${first}` : `[STATUS] == any(${statuses.join(', ')})`;
}
