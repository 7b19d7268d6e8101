import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Outcome } from '../notification-state.ts';
import type { Channel, Notice, Sending } from './channel.ts';
import { faultText } from './fault-text.ts';
import { ForbiddenTargetError, post, statusText } from './post.ts';
import { retryAfterMs } from './retry-after.ts';

const stored = z.object({ body: z.string() });

/**
 * Webhooks as Standard Webhooks 1.0 writes them: the event's JSON by POST, signed with the contact's secrets (HMAC-SHA256 of id, time and body).
 * One message an event.
 */
export function createWebhook({ allowPrivate }: { readonly allowPrivate: boolean }): Channel {
  return {
    showsDay: false,
    compose: (notices) => ({ body: JSON.stringify(bodyOf(notices)) }),
    async send(sending, signal): Promise<Outcome> {
      const { body } = stored.parse(sending.message);
      const url = new URL(sending.to.address);
      if (url.protocol !== 'https:' && !allowPrivate)
        return { kind: 'again', text: 'the address does not begin with https://' };
      const headers = {
        'Content-Type': 'application/json',
        'User-Agent': 'Vantage',
        ...signatureHeaders(sending, body),
      };
      try {
        const { status, retryAfter } = await post({ url, headers, body, allowPrivate }, signal);
        return outcomeOf(status, retryAfterMs(retryAfter, sending.nowUs));
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const text = error instanceof ForbiddenTargetError ? error.message : faultText(error, url.hostname);
        return { kind: 'again', text };
      }
    },
  };
}

function bodyOf([notice]: readonly Notice[]): object {
  if (notice === undefined) return {};
  return { type: notice.kind, timestamp: notice.timestamp, data: notice.data };
}

function outcomeOf(status: number, waitMs: number | undefined): Outcome {
  const text = statusText(status);
  if (status >= 200 && status < 300) return { kind: 'delivered', text };
  if (status === 410) return { kind: 'gone', text };
  if (status >= 300 && status < 400) return { kind: 'again', text: `${text} (redirects are not followed)` };
  return { kind: 'again', text, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) };
}

/** The headers of Standard Webhooks, "Webhook Headers": the time is the one of this attempt; each secret makes a signature. */
function signatureHeaders({ id, to, nowUs }: Sending, body: string): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowUs / 1_000_000));
  const secrets = [to.secret, to.previousSecret].filter((secret) => secret !== null);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
