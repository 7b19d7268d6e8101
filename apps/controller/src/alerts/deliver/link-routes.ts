import { minuteUs } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { formPageHeaders } from '@vantage/rest-kit/form-page';
import type { FormRequest, OuterReply, OuterRoute } from '@vantage/rest-kit/outer-routes';
import { createZone } from '@vantage/rest-kit/zone';
import type { Db, Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { answersOf } from '../channels/answers.ts';
import type { Notice } from '../channels/channel.ts';
import { plain } from '../channels/fact-text.ts';
import { clockText } from '../channels/moment-text.ts';
import { type LinkPage, maxNoteLength, showPage, snoozeMinutes } from './link-page.ts';
import { readLinked, readMerged } from './link-store.ts';
import type { ActionLink, ActionLinks } from './links.ts';
import { showFacts } from './show-facts.ts';

/** The outcome of an action. `closed`: the alert has ended; `missing`: it no longer exists. */
interface ActionOutcome {
  readonly kind: 'done' | 'closed' | 'missing';
}

/** Actions of the step alerts for links. `by` is the name of the contact. */
export interface LinkActions {
  readonly acknowledge: (
    kysely: Kysely<Tables>,
    ask: {
      readonly accountNo: number;
      readonly alertId: string;
      readonly by: string;
      readonly note: string | null;
      readonly nowUs: number;
    },
  ) => Promise<ActionOutcome>;
  /** Returns how many of them were open and are acknowledged now. */
  readonly acknowledgeMany: (
    kysely: Kysely<Tables>,
    ask: {
      readonly accountNo: number;
      readonly alertIds: readonly string[];
      readonly by: string;
      readonly note: string | null;
      readonly nowUs: number;
    },
  ) => Promise<number>;
  readonly snooze: (
    kysely: Kysely<Tables>,
    ask: {
      readonly accountNo: number;
      readonly alertId: string;
      readonly untilUs: number;
      readonly nowUs: number;
    },
  ) => Promise<ActionOutcome>;
}

/** The path of the pages, before the signed part. */
const linkPath = '/links/';

/**
 * The pages behind the links of messages. Showing a page changes nothing, because mail servers open links to scan them;
 * only its button acts. A page shows only what the message said.
 */
export function linkRoutes(deps: {
  readonly db: Pick<Db, 'kysely'>;
  readonly clock: Clock;
  readonly links: ActionLinks;
  readonly actions: LinkActions;
}): readonly OuterRoute[] {
  const { db, clock, links } = deps;
  return [
    {
      path: linkPath,
      needsKey: 'signed',
      async run(request) {
        const nowUs = clock.nowUs();
        const link = links.read(request.rest, nowUs);
        if (link?.action === 'acknowledge-all') return actOnAll(deps, link, request, nowUs);
        const linked = link && (await readLinked(db.kysely, link));
        if (link === undefined || linked === undefined) return reply(404, unknownLink);
        const zone = createZone(linked.timezone);
        const notice = {
          kind: linked.kind,
          timestamp: zone.format(linked.at_us),
          composed: zone.format(nowUs),
          timezone: zone.name,
          data: showFacts(linked.data, (us) => zone.format(us)),
          links: null,
          day: null,
        };
        const answers = answersOf(notice);
        if (link.action === 'details') {
          const lines = [
            answers.headline,
            ...answers.lines.map(({ label, text }) => `${label}: ${text}`),
            ...hopLines(notice),
            nowText(linked, notice, (us) => zone.format(us)),
          ];
          return reply(200, { title: answers.title, lines, action: null });
        }
        const lines = [answers.headline];
        if (!request.isSent) return reply(200, { title: titles[link.action], lines, action: link.action });
        return act(deps, { link, request, by: linked.contact, lines, nowUs });
      },
    },
  ];
}

const titles = {
  acknowledge: 'Acknowledge this alert?',
  'acknowledge-all': 'Acknowledge these alerts?',
  snooze: 'Snooze this alert?',
} as const;
/** A page about many alerts names at most this many. */
const maxNames = 1_000;
const unknownLink: LinkPage = {
  title: 'This link is not valid',
  lines: ['It has expired, or a part of its address is missing.'],
  action: null,
};

async function act(
  { actions, db }: { readonly actions: LinkActions; readonly db: Pick<Db, 'kysely'> },
  ask: {
    readonly link: ActionLink;
    readonly request: FormRequest;
    readonly by: string;
    readonly lines: readonly string[];
    readonly nowUs: number;
  },
): Promise<OuterReply> {
  const { link, request, by, lines, nowUs } = ask;
  const target = { accountNo: link.accountNo, alertId: link.alertId, nowUs };
  if (link.action === 'acknowledge') {
    const sent = { ...target, by, note: noteOf(request) };
    const { kind } = await actions.acknowledge(db.kysely, sent);
    return kind === 'done' ? reply(200, { title: 'Acknowledged', lines, action: null }) : ended(lines);
  }
  const minutes = snoozeMinutes.find((choice) => String(choice) === request.fields.get('Minutes')) ?? 60;
  const { kind } = await actions.snooze(db.kysely, { ...target, untilUs: nowUs + minutes * minuteUs });
  const title = `Snoozed for ${minutes < 60 ? `${minutes} min` : `${minutes / 60} h`}`;
  return kind === 'done' ? reply(200, { title, lines, action: null }) : ended(lines);
}

/** The path of the packets when the device failed, one line per router. */
function hopLines({ data: { Trace } }: Notice): readonly string[] {
  if (typeof Trace !== 'object' || Trace === null || !('Path' in Trace) || !Array.isArray(Trace.Path))
    return [];
  return Trace.Path.map(
    (hop, index) => `${index + 1}. ${typeof hop === 'string' ? plain(hop) : 'no answer'}`,
  );
}

/** The state of the alert at the time when the page is opened. */
function nowText(
  { status, since_us, closed_us, acknowledged_by: by }: NonNullable<Awaited<ReturnType<typeof readLinked>>>,
  notice: Notice,
  format: (us: number) => string,
): string {
  const parts = [
    ...(status === null || since_us === null
      ? []
      : [`the device is ${status} since ${clockText(format(since_us), notice)}`]),
    closed_us === null
      ? 'the alert is open'
      : `the alert was closed at ${clockText(format(closed_us), notice)}`,
    by === null ? 'not acknowledged' : `acknowledged by ${plain(by)}`,
  ];
  return `Now: ${parts.join(', ')}.`;
}

/** The page of a link to all alerts of one message: those that are closed by now are left out. */
async function actOnAll(
  { actions, db }: { readonly actions: LinkActions; readonly db: Pick<Db, 'kysely'> },
  link: ActionLink,
  request: FormRequest,
  nowUs: number,
): Promise<OuterReply> {
  const merged = await readMerged(db.kysely, link);
  if (merged === undefined) return reply(404, unknownLink);
  const { contact: by, alerts } = merged;
  const named = alerts.slice(0, maxNames).map(({ name }) => plain(name ?? 'something'));
  const more = alerts.length > maxNames ? ` and ${alerts.length - maxNames} more` : '';
  const lines = [`${alerts.length} open: ${named.join(', ')}${more}.`];
  if (alerts.length === 0)
    return reply(409, { title: 'These alerts are closed already', lines: [], action: null });
  if (!request.isSent)
    return reply(200, { title: titles['acknowledge-all'], lines, action: 'acknowledge-all' });
  const alertIds = alerts.map((row) => row.alert_id);
  const ask = { accountNo: link.accountNo, alertIds, by, note: noteOf(request), nowUs };
  const count = await actions.acknowledgeMany(db.kysely, ask);
  return reply(200, { title: `Acknowledged ${count}`, lines, action: null });
}

/** The note of a form as one line; null: none. */
function noteOf({ fields }: FormRequest): string | null {
  const note = plain(fields.get('Note') ?? '')
    .trim()
    .slice(0, maxNoteLength);
  return note === '' ? null : note;
}

function ended(lines: readonly string[]): OuterReply {
  return reply(409, { title: 'This alert is closed already', lines, action: null });
}

function reply(status: 200 | 404 | 409, page: LinkPage): OuterReply {
  return { status, type: 'text/html; charset=utf-8', headers: formPageHeaders, body: showPage(page) };
}
