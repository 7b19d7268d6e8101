import { readFileSync } from 'node:fs';

/**
 * The privilege that is missing when this process may not open an ICMP socket, for the operator: `needs CAP_NET_RAW, or
 * group 1000 in net.ipv4.ping_group_range (now 1 0: no group)`. The setting governs IPv6 too.
 */
export function missingRight(): string {
  const group = process.getegid?.() ?? 0;
  return describeMissingRight(group, readPingGroupRange());
}

/** The text for a group id and the content of the setting (two group ids, first and last). */
export function describeMissingRight(group: number, range: string | undefined): string {
  const alternative = `group ${group} in net.ipv4.ping_group_range`;
  if (range === undefined) return `needs CAP_NET_RAW, or ${alternative}`;
  const [first = 1, last = 0] = range.trim().split(/\s+/).map(Number);
  const now = `now ${first} ${last}${first > last ? ': no group' : ''}`;
  return `needs CAP_NET_RAW, or ${alternative} (${now})`;
}

function readPingGroupRange(): string | undefined {
  try {
    return readFileSync('/proc/sys/net/ipv4/ping_group_range', 'utf8');
  } catch {
    return undefined; // not Linux, or /proc is hidden
  }
}
