import { type AccountLimits, defaultLimits } from '@vantage/domain';
import { z } from 'zod';

/** Reads `devices=200000,tags=500`; kinds that are not named keep their limit. */
export function readLimits(text: string, context: z.RefinementCtx): AccountLimits {
  const limits: Record<string, number> = { ...defaultLimits };
  for (const part of text.split(',')) {
    const [, kind = '', count = ''] = /^ *(\w+) *= *(\d{1,7}) *$/.exec(part) ?? [];
    if (!Object.hasOwn(defaultLimits, kind) || Number(count) < 1) {
      context.addIssue('no limit');
      return z.NEVER;
    }
    limits[kind] = Number(count);
  }
  return { ...defaultLimits, ...limits };
}
