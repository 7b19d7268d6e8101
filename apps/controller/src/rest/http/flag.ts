import { z } from 'zod';

/** A flag in a query: `true` or `Y`, `false` or `N`; undefined where it is absent. */
export function flagQuery(description: string) {
  return z
    .enum(['true', 'Y', 'false', 'N'])
    .transform((text) => text === 'true' || text === 'Y')
    .optional()
    .meta({ description, override: { type: 'string', enum: ['true', 'Y', 'false', 'N'] }, example: 'true' });
}
