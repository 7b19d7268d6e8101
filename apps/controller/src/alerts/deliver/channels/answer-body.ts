import { z } from 'zod';

/** How a service may name a message: it is stored, and sent back to that service only. */
export const messageName = z.string().regex(/^[\x21-\x7e]{1,255}$/);

/** A message's number. */
export const messageNumber = z.number().int().positive().max(Number.MAX_SAFE_INTEGER);
