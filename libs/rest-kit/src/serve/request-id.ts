import { newId } from '@vantage/kernel';
import type { Context, Next } from 'koa';

/** Ids of callers that are taken over: they go to the log, so they are short and hold no blanks. */
const taken = /^[A-Za-z0-9._:+/=@-]{1,128}$/;

/**
 * Gives each request an id, the caller's own where one was sent. It is returned as `X-Request-Id`; `requestId` finds it
 * for the log.
 */
export async function nameRequest(context: Context, next: Next): Promise<void> {
  const sent = context.get('X-Request-Id');
  context.set('X-Request-Id', taken.test(sent) ? sent : newId());
  await next();
}

/** The id of a request. */
export function requestId(context: Context): string {
  return context.response.get('X-Request-Id');
}
