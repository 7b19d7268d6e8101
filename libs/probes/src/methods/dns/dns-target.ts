import { isIP } from 'node:net';
import type { Target, TargetResult } from '../../contract/probe.ts';
import { parseTarget } from '../../contract/target.ts';
import { queryName, type RecordType, recordType, reverseName } from './dns-records.ts';

const accepts =
  'a name (asked of the resolvers), or dns://server/name?type=A, dns://server:port/name, for example www.example.org';

/**
 * Reads a DNS device's URL. The target of a bare name has the scheme `name`, the name as host and port 0. Any other
 * target has the host and port of the server, and a path such as `/name?type=A`.
 */
export function parseDnsTarget(url: string): TargetResult {
  if (!url.includes('://')) {
    const name = queryName(url);
    if (name === undefined || url === '') {
      return {
        ok: false,
        message: `${JSON.stringify(url.slice(0, 80))} is no DNS name; accepted is ${accepts}`,
      };
    }
    const target: Target = {
      display: url,
      host: name,
      port: 0,
      scheme: 'name',
      user: undefined,
      password: undefined,
      path: '',
      url,
    };
    return { ok: true, target };
  }
  const found = parseTarget(url, { schemes: { dns: 53 }, scheme: 'dns', path: true, accepts });
  if (!found.ok) return found;
  const question = readPath(found.target.path);
  return typeof question === 'string' ? { ok: false, message: `${question}; accepted is ${accepts}` } : found;
}

/** The question of the target: a name, and the type if the URL has one. */
export function questionOf(target: Target): { readonly name: string; readonly type: RecordType | undefined } {
  if (target.scheme === 'name') return { name: target.host, type: undefined };
  const question = readPath(target.path);
  return typeof question === 'string' ? { name: target.host, type: undefined } : question;
}

/** The name on the wire: for a PTR query, an address becomes its reverse name. */
export function wireName(name: string, type: RecordType): string {
  return type === 'PTR' && isIP(name) ? reverseName(name) : name;
}

function readPath(path: string): { readonly name: string; readonly type: RecordType | undefined } | string {
  const [rawName = '', rawQuery] = path.slice(1).split('?', 2);
  const name = queryName(rawName);
  if (name === undefined || rawName === '') return 'the name to query is missing after the server';
  if (rawQuery === undefined) return { name, type: undefined };
  const query = new URLSearchParams(rawQuery);
  if ([...query.keys()].some((key) => key !== 'type')) return 'only ?type= may follow the name';
  const type = recordType.safeParse(query.get('type')?.toUpperCase());
  return type.success ? { name, type: type.data } : `?type= is one of ${recordType.options.join(', ')}`;
}
