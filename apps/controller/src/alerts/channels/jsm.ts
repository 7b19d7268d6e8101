import { z } from 'zod';
import { answersOf } from './answers.ts';
import type { Channel, Notice } from './channel.ts';
import { plain } from './fact-text.ts';
import { createHttpChannel, type HttpChannelSettings, jsonHeaders } from './http-channel.ts';
import { descriptionOf, detailsOf, incidentOf } from './incident.ts';

const stored = z.object({
  alias: z.string().nullable(),
  action: z.enum(['acknowledge', 'close']).nullable(),
  body: z.record(z.string(), z.json()),
});

const priorities = { critical: 'P1', warning: 'P3', info: 'P5' } as const;
const source = 'Vantage';

/**
 * Jira Service Management's integration events (developer.atlassian.com, "Integration events"): an alert with the
 * alert_id as its alias is created, acknowledged with it, and closed when it ends. 202 means that the request is valid;
 * it is processed later.
 */
export function createJsm(settings: HttpChannelSettings): Channel {
  return createHttpChannel(settings, {
    compose: ([notice]) => (notice === undefined ? {} : alertOf(notice)),
    requestOf: ({ id, message, to }) => {
      const { alias, action, body } = stored.parse(message);
      const url = new URL(to.address);
      if (action !== null) {
        url.pathname = `${url.pathname.replace(/\/+$/, '')}/${encodeURIComponent(alias ?? id)}/${action}`;
        url.searchParams.set('identifierType', 'alias');
      }
      const sent = action !== null ? body : { ...body, alias: alias ?? id };
      const headers = { ...jsonHeaders(), Authorization: `GenieKey ${to.secret ?? ''}` };
      return { url, headers, body: JSON.stringify(sent) };
    },
    gone: [400, 401, 403, 422],
  });
}

function alertOf(notice: Notice) {
  const { stage, key, severity, title, source: entity } = incidentOf(notice);
  if (stage === 'ends') return { alias: key, action: 'close', body: { source, note: title } };
  if (stage === 'acknowledged')
    return { alias: key, action: 'acknowledge', body: { source, note: noteOf(notice) } };
  return {
    alias: key,
    action: null,
    body: {
      message: title.slice(0, maxMessageLength).toWellFormed(),
      description: descriptionOf(notice),
      entity,
      source,
      tags: [notice.kind],
      priority: priorities[severity],
      details: detailsOf(answersOf(notice)),
    },
  };
}

/** The API's limit for the field message. */
const maxMessageLength = 130;

function noteOf({ data: { By, Note } }: Notice): string {
  const by = typeof By === 'string' ? `Acknowledged by ${plain(By)}` : 'Acknowledged';
  return typeof Note === 'string' && Note !== '' ? `${by}: ${plain(Note)}` : by;
}
