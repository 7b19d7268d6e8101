import { z } from 'zod';
import { answersOf } from './answers.ts';
import type { Channel, Notice } from './channel.ts';
import { createHttpChannel, type HttpChannelSettings, jsonHeaders } from './http-channel.ts';
import { detailsOf, incidentOf } from './incident.ts';

const stored = z.object({ dedup_key: z.string().nullable(), event: z.record(z.string(), z.json()) });

const actions = {
  begins: 'trigger',
  acknowledged: 'acknowledge',
  ends: 'resolve',
  happened: 'trigger',
} as const;

/**
 * PagerDuty's Events API v2 (developer.pagerduty.com, "Send an Alert Event"): an alert is an incident with its alert_id
 * as dedup_key; it is triggered, acknowledged with the alert, and resolved when it ends. 202 is
 * the acceptance, 400 says that the event is not valid, 429 that there were too many.
 */
export function createPagerDuty(settings: HttpChannelSettings): Channel {
  return createHttpChannel(settings, {
    compose: ([notice]) => (notice === undefined ? {} : eventOf(notice)),
    requestOf: ({ id, message, to }) => {
      const { dedup_key, event } = stored.parse(message);
      const body = JSON.stringify({ routing_key: to.secret, ...event, dedup_key: dedup_key ?? id });
      return { url: new URL(to.address), headers: jsonHeaders(), body };
    },
    gone: [400],
  });
}

function eventOf(notice: Notice) {
  const { stage, key, severity, title, source } = incidentOf(notice);
  const { links, data, timestamp, kind } = notice;
  const answers = answersOf(notice);
  const event_action = actions[stage];
  if (event_action !== 'trigger') return { dedup_key: key, event: { event_action } };
  const payload = {
    summary: title,
    timestamp,
    severity,
    source,
    class: kind,
    custom_details: {
      Now: answers.headline,
      ...detailsOf(answers),
      ...data,
    },
  };
  const pages = answers.links.map(({ label, url }) => ({ href: url, text: label }));
  return {
    dedup_key: key,
    event: {
      event_action,
      client: 'Vantage',
      payload,
      ...(links?.details === undefined ? {} : { client_url: links.details }),
      ...(pages.length === 0 ? {} : { links: pages }),
    },
  };
}
