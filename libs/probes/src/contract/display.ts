import type { Peer } from './dial.ts';

/** `10.0.0.1:25`, `[2001:db8::1]:25`; without a port the address. */
export function showPeer(address: string, port: number): string {
  if (port === 0) return address;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** `10.0.0.1:25, [2001:db8::1]:25`. */
export function showPeers(peers: readonly Peer[]): string {
  return peers.map(({ address, port }) => showPeer(address, port)).join(', ');
}

const controlChars: Readonly<Record<string, string>> = { '\r': '\\r', '\n': '\\n', '\t': '\\t' };

/** A text with control characters as `\r`, `\n`, `\t` or `\xNN`, safe for logs and terminals. */
export function printable(text: string): string {
  return text.replace(
    /\p{Cc}/gu,
    (char) => controlChars[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/** The start of a foreign text for a message: quoted, printable, at most `max` characters. */
export function quoteShort(text: string, max = 100): string {
  const flat = printable(text.trimEnd());
  return `"${flat.length > max ? `${flat.slice(0, max)}…` : flat}"`;
}

/** Seconds for people: `5 s`, `0.5 s`. */
export function showSeconds(ms: number): string {
  return `${Math.round(ms / 10) / 100} s`;
}
