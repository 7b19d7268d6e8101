import { isIP } from 'node:net';
import { ipv6Words } from '@vantage/kernel';
import type { Answer } from 'dns-packet';
import { z } from 'zod';
import { quoteShort } from '../../contract/display.ts';

const recordTypes = ['A', 'AAAA', 'MX', 'TXT', 'NS', 'SOA', 'SRV', 'PTR', 'CAA', 'DNSKEY', 'CNAME'] as const;
export const recordType = z.enum(recordTypes);
export type RecordType = z.output<typeof recordType>;

/**
 * A record's data as in a zone file: `10 mail.example`, `2001:db8::1`. Names are in lower case without the last dot.
 */
export function showRecord(answer: Answer): string {
  switch (answer.type) {
    case 'A':
      return answer.data;
    case 'AAAA':
      return canonicalV6(answer.data);
    case 'NS':
    case 'PTR':
    case 'CNAME':
    case 'DNAME':
      return plainName(answer.data);
    case 'MX':
      return `${answer.data.preference ?? 0} ${plainName(answer.data.exchange)}`;
    case 'SRV': {
      const { priority = 0, weight = 0, port, target } = answer.data;
      return `${priority} ${weight} ${port} ${plainName(target)}`;
    }
    case 'SOA': {
      const { mname, rname, serial = 0, refresh = 0, retry = 0, expire = 0, minimum = 0 } = answer.data;
      return `${plainName(mname)} ${plainName(rname)} ${serial} ${refresh} ${retry} ${expire} ${minimum}`;
    }
    case 'TXT':
      return [answer.data].flat().map(textOf).join('');
    case 'CAA':
      return `${answer.data.flags ?? 0} ${answer.data.tag} "${answer.data.value}"`;
    case 'DNSKEY':
      return `${answer.data.flags} 3 ${answer.data.algorithm} ${answer.data.key.toString('base64')}`;
    default:
      return `(${answer.type})`;
  }
}

/** The difference between expected and received records, in any order; undefined if there is none. */
export function compareRecords(
  type: RecordType,
  expected: readonly string[],
  received: readonly string[],
): string | undefined {
  const expectedRecords = new Set(expected.map((record) => canonical(type, record)));
  const receivedRecords = new Set(received.map((record) => canonical(type, record)));
  const missing = [...expectedRecords].filter((record) => !receivedRecords.has(record));
  const extra = [...receivedRecords].filter((record) => !expectedRecords.has(record));
  if (missing.length === 0 && extra.length === 0) return undefined;
  const parts = [
    missing.length > 0 ? `missing ${missing.map((record) => quoteShort(record, 60)).join(', ')}` : '',
    extra.length > 0 ? `not expected ${extra.map((record) => quoteShort(record, 60)).join(', ')}` : '',
  ];
  return parts.filter((part) => part !== '').join('; ');
}

/** The name in a PTR query for an address (RFC 1035 section 3.5, RFC 3596 section 2.5). */
export function reverseName(address: string): string {
  if (isIP(address) === 4) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  const nibbles = (ipv6Words(address) ?? []).map((group) => group.toString(16).padStart(4, '0'));
  return `${nibbles.join('').split('').reverse().join('.')}.ip6.arpa`;
}

/** A name as it is sent: labels of 1 to 63 characters, at most 253 in all, without the last dot. `.` is the root. */
export function queryName(text: string): string | undefined {
  if (text === '.') return '.';
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  const fits = name.length <= 253 && name.split('.').every((label) => /^[!-~]{1,63}$/.test(label));
  // This is a host with its port, or a URL with a login, not a name.
  const isEndpoint = /[:@]/.test(name) && isIP(name) === 0;
  return fits && !isEndpoint && !name.startsWith('-') ? name.toLowerCase() : undefined;
}

function canonical(type: RecordType, text: string): string {
  const trimmed = text.trim();
  switch (type) {
    case 'AAAA':
      return isIP(trimmed) === 6 ? canonicalV6(trimmed) : trimmed;
    case 'TXT':
      return unquoted(trimmed);
    case 'DNSKEY': {
      // In a zone file, blanks split the long key.
      const [flags = '', protocol = '', algorithm = '', ...key] = trimmed.split(/\s+/);
      return `${flags} ${protocol} ${algorithm} ${key.join('')}`;
    }
    case 'CAA':
      return trimmed.replace(
        /^(\d+)\s+(\S+)\s+"?(.*?)"?$/,
        (_all, flags, tag, value) => `${flags} ${String(tag).toLowerCase()} "${value}"`,
      );
    case 'A':
    case 'MX':
    case 'NS':
    case 'SOA':
    case 'SRV':
    case 'PTR':
    case 'CNAME':
      return trimmed.split(/\s+/).map(plainName).join(' ');
  }
}

/**
 * Joins quoted strings, into which a zone file splits a long text (RFC 1035 section 5.1). Any other text is unchanged.
 */
function unquoted(text: string): string {
  if (!/^("([^"\\]|\\.)*"\s*)+$/.test(text)) return text;
  const strings = text.match(/"([^"\\]|\\.)*"/g) ?? [];
  return strings.map((string) => string.slice(1, -1).replace(/\\(.)/g, '$1')).join('');
}

function plainName(name: string): string {
  return name.length > 1 ? name.replace(/\.$/, '').toLowerCase() : name;
}

function textOf(part: string | Buffer): string {
  return typeof part === 'string' ? part : part.toString('utf8');
}

function canonicalV6(address: string): string {
  return new URL(`http://[${address.replace(/%.*/, '')}]/`).hostname.slice(1, -1);
}
