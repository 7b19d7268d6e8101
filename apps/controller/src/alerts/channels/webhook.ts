import { createHmac } from 'node:crypto';
import { secondUs } from '@vantage/domain';
import { z } from 'zod';
import type { Channel, Notice, Sending } from './channel.ts';
import { createHttpChannel, type HttpChannelSettings, jsonHeaders } from './http-channel.ts';

const stored = z.object({ body: z.string() });

/**
 * Webhooks as Standard Webhooks 1.0 writes them: the event's JSON by POST, signed with the contact's secrets
 * (HMAC-SHA256 of id, time and body). One message an event.
 */
export function createWebhook(settings: HttpChannelSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices) => ({ body: JSON.stringify(bodyOf(notices)) }),
    requestOf: (sending) => {
      const { body } = stored.parse(sending.message);
      const headers = { ...jsonHeaders(), ...signatureHeaders(sending, body) };
      return { url: new URL(sending.to.address), headers, body };
    },
    gone: [410],
  });
}

function bodyOf([notice]: readonly Notice[]): object {
  if (notice === undefined) return {};
  return { type: notice.kind, timestamp: notice.timestamp, data: notice.data };
}

/**
 * The headers of Standard Webhooks, "Webhook Headers": the time is the one of this attempt; each secret makes a
 * signature.
 */
function signatureHeaders({ id, to, nowUs }: Sending, body: string): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowUs / secondUs));
  const secrets = [to.secret, to.previousSecret].filter((secret) => secret !== null);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
