import { z } from 'zod';
import type { Channel, Notice } from './channel.ts';
import { createHttpChannel, type HttpChannelSettings, jsonHeaders } from './http-channel.ts';
import { descriptionOf, incidentOf } from './incident.ts';

const stored = z.object({ alert: z.record(z.string(), z.json()) });

/**
 * The Alertmanager keeps an alert without an end for this time, milliseconds. Without `endsAt` it would end it
 * after its `resolve_timeout`, which is for senders that repeat every minute.
 */
const keepMs = 30 * 24 * 3600 * 1000;

/**
 * Labels are the identity of an alert: the first and the last message must have the same ones, whatever failed and
 * even after a rename.
 */
const names: ReadonlyMap<string, string> = new Map([
  ['device', 'VantageDevice'],
  ['location', 'VantageLocation'],
  ['anchor', 'VantageAnchor'],
  ['interface', 'VantageInterface'],
]);

/**
 * Prometheus Alertmanager, API v2 (`POST /api/v2/alerts`, github.com/prometheus/alertmanager, api/v2/openapi.yaml). 200
 * is the acceptance, 400 says that the alert is not valid.
 */
export function createAlertmanager(settings: HttpChannelSettings): Channel {
  return createHttpChannel(settings, {
    compose: ([notice]) => (notice === undefined ? {} : { alert: alertOf(notice) }),
    requestOf: ({ message, to }) => {
      const { alert } = stored.parse(message);
      const url = new URL(to.address);
      url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/v2/alerts`;
      return { url, headers: jsonHeaders(to.secret), body: JSON.stringify([alert]) };
    },
    gone: [400],
  });
}

function alertOf(notice: Notice) {
  const { stage, key, severity, title } = incidentOf(notice);
  const { kind, timestamp, data } = notice;
  const { device_id: deviceId, Since, DownSince } = data;
  const since = stage === 'ends' && typeof DownSince === 'string' ? DownSince : Since;
  const [subject = ''] = (stage === 'happened' ? kind : openingKind(notice)).split('.');
  const alertname = stage === 'happened' ? `Vantage ${kind}` : (names.get(subject) ?? `Vantage ${subject}`);
  return {
    labels: {
      alertname,
      severity,
      service: 'vantage',
      ...(key === null ? {} : { alert_id: key }),
      ...(typeof deviceId === 'string' ? { device_id: deviceId } : {}),
    },
    annotations: {
      summary: title,
      description: descriptionOf(notice),
    },
    // The Alertmanager shows it as the source of the alert.
    ...(notice.links?.details === undefined ? {} : { generatorURL: notice.links.details }),
    ...timesOf(stage, { timestamp, since: typeof since === 'string' ? since : timestamp }),
  };
}

/** The kind of the message that opened the alert. */
function openingKind({ kind, data }: Notice): string {
  const { AlertKind, device_id: deviceId, Target } = data;
  if (typeof AlertKind === 'string') return AlertKind;
  if (kind !== 'closed') return kind;
  // Earlier versions stored messages of this kind without it.
  if (typeof deviceId === 'string') return 'device.down';
  return Target === undefined ? 'location.offline' : 'anchor.down';
}

function timesOf(
  stage: ReturnType<typeof incidentOf>['stage'],
  { timestamp, since }: { readonly timestamp: string; readonly since: string },
) {
  if (stage === 'happened' || stage === 'acknowledged') return { startsAt: timestamp };
  const endsAt = stage === 'ends' ? timestamp : new Date(Date.parse(timestamp) + keepMs).toISOString();
  return { startsAt: since, endsAt };
}
