import { acknowledgeableKinds } from '@vantage/alerts';
import { minuteUs } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Db, Tables } from '../../platform/db/index.ts';
import { formPage, formPageHeaders } from '../../rest/http/form-page.ts';
import type { FormRequest, OuterReply, OuterRoute } from '../../rest/http/outer-routes.ts';
import { createZone } from '../../rest/http/zone.ts';
import { answersOf } from './channels/answers.ts';
import type { Notice } from './channels/channel.ts';
import { clockText, plain } from './channels/fact-text.ts';
import type { Link, LinkAction, Links } from './links.ts';
import { showFacts } from './notices.ts';

/** The outcome of an action. `closed`: the alert has ended; `missing`: it does not exist any more. */
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

/** Where the pages are; the signed part follows. */
const linkPath = '/links/';

/**
 * The pages behind the links of messages. Showing a page changes nothing, because mail servers open links to scan them;
 * only its button acts. A page shows what the message said and no more.
 */
export function linkRoutes(deps: {
  readonly db: Pick<Db, 'kysely'>;
  readonly clock: Clock;
  readonly links: Links;
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
/** A page about many alerts names so many of them. */
const mostNames = 1_000;
const unknownLink: LinkPage = {
  title: 'This link is not valid',
  lines: ['It has expired, or a part of its address is missing.'],
  action: null,
};

async function act(
  { actions, db }: { readonly actions: LinkActions; readonly db: Pick<Db, 'kysely'> },
  ask: {
    readonly link: Link;
    readonly request: FormRequest;
    readonly by: string;
    readonly lines: readonly string[];
    readonly nowUs: number;
  },
): Promise<OuterReply> {
  const { link, request, by, lines, nowUs } = ask;
  const about = { accountNo: link.accountNo, alertId: link.alertId, nowUs };
  if (link.action === 'acknowledge') {
    const sent = { ...about, by, note: noteOf(request) };
    const { kind } = await actions.acknowledge(db.kysely, sent);
    return kind === 'done' ? reply(200, { title: 'Acknowledged', lines, action: null }) : ended(lines);
  }
  const minutes = snoozeMinutes.find((each) => String(each) === request.fields.get('Minutes')) ?? 60;
  const { kind } = await actions.snooze(db.kysely, { ...about, untilUs: nowUs + minutes * minuteUs });
  const title = `Snoozed for ${minutes < 60 ? `${minutes} min` : `${minutes / 60} h`}`;
  return kind === 'done' ? reply(200, { title, lines, action: null }) : ended(lines);
}

/** The way that the packets took when the device failed, router by router. */
function hopLines({ data: { Trace } }: Notice): readonly string[] {
  if (typeof Trace !== 'object' || Trace === null || !('Path' in Trace) || !Array.isArray(Trace.Path))
    return [];
  return Trace.Path.map(
    (hop, place) => `${place + 1}. ${typeof hop === 'string' ? plain(hop) : 'no answer'}`,
  );
}

/** How the alert is when somebody opens the page: later than the message. */
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
      : `the alert is closed since ${clockText(format(closed_us), notice)}`,
    by === null ? 'nobody has acknowledged it' : `acknowledged by ${plain(by)}`,
  ];
  return `Now: ${parts.join(', ')}.`;
}

/** The page of a link to all alerts of one message: those that are closed by now are left out. */
async function actOnAll(
  { actions, db }: { readonly actions: LinkActions; readonly db: Pick<Db, 'kysely'> },
  link: Link,
  request: FormRequest,
  nowUs: number,
): Promise<OuterReply> {
  const merged = await readMerged(db.kysely, link);
  if (merged === undefined) return reply(404, unknownLink);
  const { contact: by, alerts } = merged;
  const named = alerts.slice(0, mostNames).map(({ name }) => plain(name ?? 'something'));
  const more = alerts.length > mostNames ? ` and ${alerts.length - mostNames} more` : '';
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
    .slice(0, longestNote);
  return note === '' ? null : note;
}

function ended(lines: readonly string[]): OuterReply {
  return reply(409, { title: 'This alert is closed already', lines, action: null });
}

function reply(status: 200 | 404 | 409, page: LinkPage): OuterReply {
  return { status, type: 'text/html; charset=utf-8', headers: formPageHeaders, body: showPage(page) };
}

/** An action that a page has a button for. */
type FormAction = Exclude<LinkAction, 'details'>;

/** The content of a page. */
interface LinkPage {
  readonly title: string;
  /** The message that the link came with, line by line. */
  readonly lines: readonly string[];
  /** The form of the page; null: there is nothing to do. */
  readonly action: FormAction | null;
}

/** How long an alert can be snoozed, in minutes. */
const snoozeMinutes = [30, 60, 240, 480, 1_440] as const;
/** The longest note. */
const longestNote = 500;

/** The page as HTML. */
export function showPage({ title, lines, action }: LinkPage): string {
  return formPage({ title, lines, fields: action === null ? null : fieldOf(action) });
}

function fieldOf(action: FormAction): string {
  if (action !== 'snooze')
    return `<label for="note">Note (optional)</label><input id="note" name="Note" maxlength="${longestNote}" autocomplete="off"><button>${action === 'acknowledge' ? 'Acknowledge' : 'Acknowledge all'}</button>`;
  const options = snoozeMinutes.map((minutes) => {
    const words = minutes < 60 ? `${minutes} minutes` : minutes === 60 ? '1 hour' : `${minutes / 60} hours`;
    return `<option value="${minutes}"${minutes === 60 ? ' selected' : ''}>${words}</option>`;
  });
  return `<label for="minutes">For</label><select id="minutes" name="Minutes">${options.join('')}</select><br><button>Snooze</button>`;
}

/**
 * The message that came with a link: the latest notification of the alert to this contact, and how the alert and
 * its device are now; undefined when the contact was deleted.
 */
async function readLinked(
  db: Kysely<Tables>,
  link: { readonly accountNo: number; readonly alertNo: number; readonly contactNo: number },
) {
  const { rows } = await sql<{
    kind: string;
    data: unknown;
    at_us: number;
    contact: string;
    timezone: string;
    status: string | null;
    since_us: number | null;
    closed_us: number | null;
    acknowledged_by: string | null;
  }>`
    select n.kind, n.data, n.at_us, c.name as contact, a.timezone, s.status, s.since_us, l.closed_us, l.acknowledged_by
    from notifications n join contacts c on c.contact_no = n.contact_no join accounts a on a.account_no = n.account_no
      left join alerts l on l.alert_no = n.alert_no left join device_state s on s.device_no = l.device_no
    where n.alert_no = ${link.alertNo} and n.contact_no = ${link.contactNo} and n.account_no = ${link.accountNo}
    order by n.notification_no desc limit 1`.execute(db);
  return rows[0];
}

/**
 * The alerts that a merged message named and that are not closed, with the contact that got it; undefined when there is
 * no such message.
 */
async function readMerged(
  db: Kysely<Tables>,
  link: { readonly accountNo: number; readonly alertNo: number; readonly contactNo: number },
) {
  const { accountNo, alertNo: leaderNo, contactNo } = link;
  const { rows: leaders } = await sql<{ contact: string }>`
    select c.name as contact from notifications n join contacts c using (contact_no)
    where n.notification_no = ${leaderNo} and n.contact_no = ${contactNo} and n.account_no = ${accountNo}`.execute(
    db,
  );
  const [leader] = leaders;
  if (leader === undefined) return undefined;
  const { rows } = await sql<{ alert_id: string; name: string | null }>`
    select a.alert_id, min(coalesce(n.data ->> 'ShortName', n.data ->> 'Location')) as name
    from notifications n join alerts a on a.alert_no = n.alert_no and a.account_no = ${accountNo} and a.closed_us is null
    where (n.notification_no = ${leaderNo} or n.leader_no = ${leaderNo}) and n.kind = any(${[...acknowledgeableKinds]}::text[])
    group by a.alert_id order by 2, 1`.execute(db);
  return { contact: leader.contact, alerts: rows };
}
