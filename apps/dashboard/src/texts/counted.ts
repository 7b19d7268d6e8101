import { count } from '../model/format.ts';

const maxListed = 3;

/** “1 device”, “4,812 devices”. */
export const devicesOf = (n: number) => `${count(n)} ${n === 1 ? 'device' : 'devices'}`;

/** “1 agent”, “200 agents”. */
export const agentsOf = (n: number) => `${count(n)} ${n === 1 ? 'agent' : 'agents'}`;

/** “and 12 more”, after the names that are shown. */
export const andMore = (n: number) => `and ${count(n)} more`;

/** “a”, “a and b”, “a, b, c and 4 more”: at most three of the names. */
export function listed(names: readonly string[]): string {
  const more = names.length > maxListed ? [`${count(names.length - maxListed)} more`] : [];
  const parts = [...names.slice(0, maxListed), ...more];
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}
