import type { SnmpValue } from './snmp-client.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** A value as a text: octets that are no UTF-8 text as hexadecimal digits (`00:1a:2b`); '' where there is none. */
export function textOf(value: SnmpValue): string {
  if (value === undefined) return '';
  if (value.type !== 'text') return String(value.value);
  const bytes = value.value;
  try {
    const text = decoder.decode(bytes).replace(/\0+$/, '');
    if (!/[^\P{Cc}\t\r\n]/u.test(text)) return text.trim();
  } catch {
    // Not UTF-8, such as the address of a network card.
  }
  return bytes.toString('hex').replace(/(..)(?=.)/g, '$1:');
}

/** A value as a number, also of a text such as `0.42`; undefined where it is none. */
export function numberOf(value: SnmpValue): number | undefined {
  if (value === undefined) return undefined;
  if (value.type === 'text' || value.type === 'name') {
    const text = textOf(value);
    return /^[+-]?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : undefined;
  }
  return Number(value.value);
}
