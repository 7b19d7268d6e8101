import { type Db, isOneOf, type Row, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** An alert as the API shows it. */
export interface ShownAlert
  extends Pick<
    Row<'alerts'>,
    | 'alert_no'
    | 'alert_id'
    | 'device_id'
    | 'kind'
    | 'severity'
    | 'opened_us'
    | 'since_us'
    | 'closed_us'
    | 'reason'
    | 'acknowledged_us'
    | 'acknowledged_by'
    | 'acknowledged_note'
    | 'snoozed_until_us'
  > {
  readonly state: AlertStateName;
  readonly location: string | null;
  readonly location_id: string | null;
  readonly short_name: string | null;
  readonly full_name: string | null;
  readonly check_result: string | null;
  /** The contact that the alert is about. */
  readonly contact: string | null;
  readonly contact_id: string | null;
  /** It has messages for contacts in shadow. */
  readonly shadow: boolean;
}

/** The states of an alert as the API names them. */
export const alertStateNames = ['Open', 'Acknowledged', 'Snoozed', 'Closed'] as const;

/** A state of an alert as the API names it. */
export type AlertStateName = (typeof alertStateNames)[number];

/** The filters and the page of a list of alerts. */
export interface AlertPage {
  readonly states?: readonly AlertStateName[] | undefined;
  readonly severities?: readonly string[] | undefined;
  /** Alerts about devices that have one of these tags now. */
  readonly tagNos?: readonly number[] | undefined;
  readonly locationNos?: readonly number[] | undefined;
  /** true: open alerts that wait for the master; false: the others. */
  readonly suppressed?: boolean | undefined;
  readonly kinds?: readonly string[] | undefined;
  readonly deviceIds?: readonly string[] | undefined;
  readonly alertId?: string | undefined;
  readonly shadow?: boolean | undefined;
  /** Alerts that opened from here on, microseconds since 1970. */
  readonly fromUs?: number | undefined;
  /** Exclusive. */
  readonly untilUs?: number | undefined;
  /** Alerts that opened before the one with this number only. */
  readonly beforeNo?: number | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly nowUs: number;
}

/** The state of an alert `a` at a moment. */
export function stateAt(nowUs: number) {
  return sql<AlertStateName>`case when a.closed_us is not null then 'Closed' when a.acknowledged_us is not null then 'Acknowledged'
    when a.snoozed_until_us > ${nowUs}::bigint then 'Snoozed' else 'Open' end`;
}

const isSuppressed = sql`(a.closed_us is null and a.phase = 'suppressed')`;

const hasShadow = sql`exists (select from notifications n where n.alert_no = a.alert_no and n.state = 'Shadow')`;

/** Alerts, the latest opened first. Reads one row more than `limit`, which tells whether there are more. */
export async function listAlerts(
  db: Kysely<Tables>,
  accountNo: number,
  page: AlertPage,
): Promise<readonly ShownAlert[]> {
  const { limit, offset, nowUs } = page;
  const { rows } = await sql<ShownAlert>`
    select a.alert_no, a.alert_id, a.device_id, a.kind, ${stateAt(nowUs)} as state, a.severity, a.opened_us, a.since_us,
      a.closed_us, a.reason, a.acknowledged_us, a.acknowledged_by, a.acknowledged_note, a.snoozed_until_us,
      l.name as location, l.location_id, coalesce(d.short_name, a.gone_short_name) as short_name,
      coalesce(d.full_name, a.gone_full_name) as full_name, a.opening ->> 'CheckResult' as check_result,
      a.opening ->> 'Contact' as contact, a.opening ->> 'contact_id' as contact_id,
      ${hasShadow} as shadow
    from alerts a left join locations l on l.location_no = a.location_no left join devices d on d.device_no = a.device_no
    where ${sql.join([sql`a.account_no = ${accountNo}::int`, ...conditionsOf(page)], sql` and `)}
    order by a.alert_no desc limit ${limit + 1} offset ${offset}`.execute(db);
  return rows;
}

/** The conditions of these filters on alerts `a`. */
function conditionsOf(page: AlertPage) {
  const { states, severities, kinds, deviceIds, alertId, tagNos, locationNos } = page;
  const { shadow, suppressed, beforeNo, nowUs } = page;
  return [
    ...(states === undefined ? [] : [sql`${stateAt(nowUs)} = any(${states}::text[])`]),
    // Open alerts have an index of their own; closed ones are many.
    ...(states === undefined || states.includes('Closed') ? [] : [sql`a.closed_us is null`]),
    ...(severities === undefined ? [] : [sql`a.severity = any(${severities}::text[])`]),
    ...(tagNos === undefined
      ? []
      : [sql`a.device_no in (select device_no from device_tags where tag_no = any(${tagNos}::int[]))`]),
    ...(locationNos === undefined ? [] : [sql`a.location_no = any(${locationNos}::int[])`]),
    ...(suppressed === undefined ? [] : [suppressed ? isSuppressed : sql`not ${isSuppressed}`]),
    ...(kinds === undefined ? [] : [isOneOf(sql`a.kind`, kinds, 'text')]),
    ...(deviceIds === undefined ? [] : [isOneOf(sql`a.device_id`, deviceIds, 'text')]),
    ...(shadow === undefined ? [] : [shadow ? hasShadow : sql`not ${hasShadow}`]),
    ...(alertId === undefined ? [] : [sql`a.alert_id = ${alertId}`]),
    ...(page.fromUs === undefined ? [] : [sql`a.opened_us >= ${page.fromUs}::bigint`]),
    ...(page.untilUs === undefined ? [] : [sql`a.opened_us < ${page.untilUs}::bigint`]),
    ...(beforeNo === undefined ? [] : [sql`a.alert_no < ${beforeNo}::bigint`]),
  ];
}

/** The maximum of alerts in the operator's list. */
const maxOpen = 1_000;

/** The account's alerts that are not closed, newest first. */
export async function listOpenAlerts(
  db: Kysely<Tables>,
  accountNo: number,
  nowUs: number,
): Promise<readonly ShownAlert[]> {
  const states = ['Open', 'Acknowledged', 'Snoozed'] as const;
  const found = await listAlerts(db, accountNo, { states, limit: maxOpen, offset: 0, nowUs });
  return found.slice(0, maxOpen);
}

/** The number of the account's alert with this id. */
export async function findAlertNo(
  { kysely }: Pick<Db, 'kysely'>,
  accountNo: number,
  alertId: string,
): Promise<number | undefined> {
  const row = await kysely
    .selectFrom('alerts')
    .select('alert_no')
    .where('alert_id', '=', alertId)
    .where('account_no', '=', accountNo)
    .executeTakeFirst();
  return row?.alert_no;
}
