import { z } from 'zod';
import type { AccountApi } from '../../../testing/one-account.ts';

/** The answer of POST /devices/change. */
export const outcome = z.object({
  Matched: z.int(),
  Changed: z.int(),
  Refused: z.array(z.object({ device_id: z.string(), Reason: z.string() })),
  Token: z.string(),
  Done: z.boolean(),
});

/** Previews a change. */
export async function preview(one: AccountApi, body: object): Promise<z.output<typeof outcome>> {
  return outcome.parse((await one.send('POST', '/devices/change', body)).json);
}

/** Previews a change and carries it out. */
export async function change(one: AccountApi, body: object) {
  const previewed = await preview(one, body);
  const done = await preview(one, { ...body, Token: previewed.Token });
  return { previewed, done };
}
