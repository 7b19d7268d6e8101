import { z } from 'zod';
import type { InsertedCheck } from './fold-store.ts';

/** The end of a certificate or of the registration of a domain, as a check found it. */
export interface ExpiringFact {
  readonly what: 'certificate' | 'domain';
  readonly notAfterUs: number;
}

/**
 * The facts of checks that have an end, by their names in the extended data. Each warns at the days of
 * `ExpiryWarningDays`. A Method whose checks add such a fact needs nothing else.
 */
const sources = [
  { what: 'certificate', fact: 'Certificate', field: 'NotAfter' },
  { what: 'domain', fact: 'Domain', field: 'Expires' },
] as const;

const record = z.record(z.string(), z.unknown());

/** The first of these facts in the extended data of a check; undefined: there is none. */
export function expiringFactIn({ extended }: Pick<InsertedCheck, 'extended'>): ExpiringFact | undefined {
  if (typeof extended !== 'string') return undefined;
  for (const { what, fact, field } of sources) {
    // Most checks have none, so their text is not parsed.
    if (!extended.includes(`"${fact}"`)) continue;
    const part = record.safeParse(record.safeParse(JSON.parse(extended)).data?.[fact]).data;
    const end = part?.[field];
    const endMs = typeof end === 'string' ? Date.parse(end) : Number.NaN;
    if (!Number.isNaN(endMs)) return { what, notAfterUs: endMs * 1000 };
  }
  return undefined;
}
