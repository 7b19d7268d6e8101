import type { Family } from './packet.ts';

/** The class of an ICMP error. */
export type IcmpErrorReason = 'unreachable' | 'time-exceeded' | 'too-big' | 'other';

const text4: Readonly<Record<string, string>> = {
  '3.0': 'network unreachable',
  '3.1': 'host unreachable',
  '3.2': 'protocol unreachable',
  '3.3': 'port unreachable',
  '3.4': 'packet too big and not to be fragmented',
  '3.9': 'network administratively prohibited',
  '3.10': 'host administratively prohibited',
  '3.13': 'communication administratively prohibited',
  '11.0': 'time to live exceeded',
  '11.1': 'fragment reassembly time exceeded',
};

const text6: Readonly<Record<string, string>> = {
  '1.0': 'no route to destination',
  '1.1': 'communication administratively prohibited',
  '1.2': 'beyond scope of source address',
  '1.3': 'address unreachable',
  '1.4': 'port unreachable',
  '1.5': 'source address failed policy',
  '1.6': 'route to destination rejected',
  '2.0': 'packet too big',
  '3.0': 'hop limit exceeded',
  '3.1': 'fragment reassembly time exceeded',
};

/** The text for the type and code of an ICMP error (RFC 792, RFC 1812 section 5.2.7, RFC 4443 section 3). */
export function icmpErrorText(family: Family, type: number, code: number): string {
  const known = family === 4 ? text4 : text6;
  return known[`${type}.${code}`] ?? `ICMP error type ${type} code ${code}`;
}

/** Classifies an ICMP error for the sender of the packet. */
export function icmpErrorReason(family: Family, type: number, code: number): IcmpErrorReason {
  const [unreachable, timeExceeded] = family === 4 ? [3, 11] : [1, 3];
  if ((family === 4 && type === 3 && code === 4) || (family === 6 && type === 2)) return 'too-big';
  if (type === unreachable) return 'unreachable';
  return type === timeExceeded ? 'time-exceeded' : 'other';
}
