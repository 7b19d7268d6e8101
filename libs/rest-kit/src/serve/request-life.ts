import type { ServerResponse } from 'node:http';
import type Koa from 'koa';
import type { Stay } from '../limits/per-key-semaphore.ts';
import { badKey } from './problem.ts';

/** Shared, because creating an Error captures a stack, and every request ends with this one. */
const callerGone = new Error('the caller is gone');

/**
 * Ends the answer of a caller whose key or session has ended: with a refusal, or by a disconnect where the answer has
 * begun.
 */
export function createCallerEnd(response: ServerResponse, leave: () => void) {
  const refused = Promise.withResolvers<never>();
  refused.promise.catch(() => {});
  let end = () => {
    if (response.headersSent) response.destroy();
    refused.reject(badKey());
    leave();
  };
  return {
    end: () => end(),
    /** Replaces the way in which the answer ends. */
    endBy(otherEnd: () => void) {
      end = otherEnd;
    },
    /** The result of the work, or a refusal where the caller ends first. */
    race<T>(work: Promise<T>): Promise<T> {
      return Promise.race([work, refused.promise]);
    },
  };
}

/**
 * How long a request occupies its slots: until its answer is sent, or, if `mayRelease`, until `release` is called.
 * `leave` ends both when the caller disconnects.
 */
export function stayOf(
  response: Koa.Context['res'],
  { mayRelease }: { readonly mayRelease: boolean },
): {
  readonly stay: Stay;
  readonly release: () => void;
  readonly leave: () => void;
} {
  const gone = new AbortController();
  const sent = mayRelease ? new AbortController() : gone;
  const leave = () => {
    gone.abort(callerGone);
    if (mayRelease) sent.abort(callerGone);
  };
  if (response.closed) leave();
  else response.once('close', leave);
  return {
    stay: { signal: gone.signal, sent: sent.signal },
    leave,
    release: () => mayRelease && sent.abort(callerGone),
  };
}
