import { isIP } from 'node:net';
import { ipv6Words } from '@vantage/kernel';
import type { Answer } from 'dns-packet';
import { z } from 'zod';
import { quoteShort } from '../../contract/failure.ts';

/** The record types that can be asked for. */
const recordTypes = ['A', 'AAAA', 'MX', 'TXT', 'NS', 'SOA', 'SRV', 'PTR', 'CAA', 'DNSKEY', 'CNAME'] as const;
export const recordType = z.enum(recordTypes);
export type RecordType = z.output<typeof recordType>;

/**
 * An answer's data as zone files write them: `10 mail.example`, `2001:db8::1`; names in lower case without their last
 * dot.
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

/** Two lists of records hold the same, in any order; else what is missing and what is there besides. */
export function compareRecords(
  type: RecordType,
  expected: readonly string[],
  got: readonly string[],
): string | undefined {
  const wanted = new Set(expected.map((each) => canonical(type, each)));
  const there = new Set(got.map((each) => canonical(type, each)));
  const missing = [...wanted].filter((each) => !there.has(each));
  const extra = [...there].filter((each) => !wanted.has(each));
  if (missing.length === 0 && extra.length === 0) return undefined;
  const parts = [
    missing.length > 0 ? `missing ${missing.map((each) => quoteShort(each, 60)).join(', ')}` : '',
    extra.length > 0 ? `not expected ${extra.map((each) => quoteShort(each, 60)).join(', ')}` : '',
  ];
  return parts.filter((part) => part !== '').join('; ');
}

/** The name that a PTR query for an address asks about (RFC 1035 section 3.5, RFC 3596 section 2.5). */
export function reverseName(address: string): string {
  if (isIP(address) === 4) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  const nibbles = (ipv6Words(address) ?? []).map((group) => group.toString(16).padStart(4, '0'));
  return `${nibbles.join('').split('').reverse().join('.')}.ip6.arpa`;
}

/** A name as the wire may carry it: labels of 1 to 63 characters, 253 in all, the last dot cut off. `.` is the root. */
export function queryName(text: string): string | undefined {
  if (text === '.') return '.';
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  const fits = name.length <= 253 && name.split('.').every((label) => /^[!-~]{1,63}$/.test(label));
  // Nobody asks for such a name; it is a host with its port, or a login, in the wrong place.
  const isPlace = /[:@]/.test(name) && isIP(name) === 0;
  return fits && !isPlace && !name.startsWith('-') ? name.toLowerCase() : undefined;
}

function canonical(type: RecordType, text: string): string {
  const trimmed = text.trim();
  switch (type) {
    case 'AAAA':
      return isIP(trimmed) === 6 ? canonicalV6(trimmed) : trimmed;
    case 'TXT':
      return unquoted(trimmed);
    case 'DNSKEY': {
      // Zone files break the long key with blanks.
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
 * One string or several in quotes, as zone files hold a long text (RFC 1035 section 5.1), are one text. All else is
 * unchanged.
 */
function unquoted(text: string): string {
  if (!/^("([^"\\]|\\.)*"\s*)+$/.test(text)) return text;
  const strings = text.match(/"([^"\\]|\\.)*"/g) ?? [];
  return strings.map((each) => each.slice(1, -1).replace(/\\(.)/g, '$1')).join('');
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
