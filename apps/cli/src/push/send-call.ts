import { request as sendHttp } from 'node:http';
import { request as sendHttps } from 'node:https';
import { type Clock, messageOf } from '@vantage/kernel';

/** The most bytes of a body that the controller keeps. */
export const maxBodyBytes = 10_240;

/** The address of a Push device, and how to reach it. */
export interface PushTarget {
  readonly url: string;
  /** The CA to trust, PEM; undefined: those that Node trusts. */
  readonly ca: string | undefined;
  /** A call is repeated for this long. */
  readonly retryMs: number;
}

/** A call to send. */
export interface OutgoingCall {
  /** The path after the token: empty, `start`, `fail`, `log` or an exit status. */
  readonly action: string;
  readonly runId: string;
  readonly body: Buffer;
}

type Attempt =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'again'; readonly reason: string; readonly afterMs: number };

const attemptMs = 10_000;
const firstPauseMs = 500;
const maxPauseMs = 15_000;

/**
 * Sends a call until it is taken, for a bounded time. Resolves with the reason if it was not; never rejects. `signal`
 * ends the repetitions.
 */
export async function sendCall(
  target: PushTarget,
  call: OutgoingCall,
  { clock, signal }: { readonly clock: Clock; readonly signal?: AbortSignal },
): Promise<string | undefined> {
  const untilMs = clock.monoMs() + target.retryMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 2)) {
    const attempt = await tryOnce(target, call);
    if (attempt.kind === 'taken') return undefined;
    if (attempt.kind === 'refused') return attempt.reason;
    const waitMs = Math.max(pauseMs, attempt.afterMs);
    if (clock.monoMs() + waitMs > untilMs || signal?.aborted) return attempt.reason;
    await clock.sleep(waitMs, signal).catch(() => {});
  }
}

/** The address of a call. Pure. */
function callUrl(url: string, { action, runId }: Pick<OutgoingCall, 'action' | 'runId'>): URL {
  const address = new URL(url);
  address.pathname = `${address.pathname.replace(/\/+$/, '')}${action === '' ? '' : `/${action}`}`;
  if (runId !== '') address.searchParams.set('rid', runId);
  return address;
}

function tryOnce({ url, ca }: PushTarget, call: OutgoingCall): Promise<Attempt> {
  const address = callUrl(url, call);
  const send = address.protocol === 'http:' ? sendHttp : sendHttps;
  return new Promise((resolve) => {
    const again = (reason: string, afterMs = 0) => resolve({ kind: 'again', reason, afterMs });
    const outgoing = send(
      address,
      {
        method: 'POST',
        headers: { 'Content-Type': 'text/plain', 'Content-Length': call.body.length },
        timeout: attemptMs,
        agent: false,
        ...(ca === undefined ? {} : { ca }),
      },
      (answer) => {
        answer.resume();
        answer.on('error', () => {});
        const { statusCode = 0 } = answer;
        if (statusCode === 200) return resolve({ kind: 'taken' });
        if (statusCode !== 429 && statusCode < 500)
          return resolve({ kind: 'refused', reason: refusedText(statusCode) });
        again(`the controller answered ${statusCode}`, secondsOf(answer.headers['retry-after']) * 1000);
      },
    );
    // A peer that sends a byte now and then never is silent.
    const limit = setTimeout(() => outgoing.destroy(new Error('no answer in time')), attemptMs);
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('error', (error) => again(messageOf(error)));
    outgoing.on('close', () => clearTimeout(limit));
    outgoing.end(call.body);
  });
}

function refusedText(status: number): string {
  if (status === 404) return 'no device has this address; it may have been rotated (answer 404)';
  return `the controller refused the call (answer ${status})`;
}

function secondsOf(header: string | undefined): number {
  const seconds = Number(header ?? 0);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
}
