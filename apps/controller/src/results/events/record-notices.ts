import { minuteUs } from '@vantage/domain';
import { type CauseOf, noticeText } from '@vantage/health';
import { declareShare } from '@vantage/kernel';
import { foreverUs, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { ParsedNotice } from '../ingest/parse-record.ts';
import type { RecordEvents } from './record-events.ts';

/** Events of traps and syslog that a device may have in an hour; further ones are dropped. */
export const maxAnHour = 60;
/** Clocks differ, and an agent learns of a change a moment later. */
const toleranceUs = minuteUs;
const hourUs = 60 * minuteUs;
/** An event that is recorded this long after its time is late. */
const lateAfterUs = minuteUs;

declareShare({
  name: 'trap_events',
  limit: `${maxAnHour} an hour of a device`,
  filledBy: 'devices that send traps or syslog',
  share: 'the events of one device',
});

interface NoticeRow {
  readonly place: number;
  readonly accountNo: number;
  readonly deviceNo: number;
  readonly locationNo: number;
  readonly status: 'Up' | 'Down' | 'Unknown';
  readonly recorded: number;
}

/**
 * Records the notices of an agent as events of its devices: of those that were assigned to it then. A notice that is
 * sent again is recorded once. Of a device with many notices those of an hour over the limit are dropped.
 */
export function createRecordNotices(recordEvents: RecordEvents) {
  return async (
    trx: Kysely<Tables>,
    sender: { readonly agentNo: number },
    notices: readonly ParsedNotice[],
    nowUs: number,
  ): Promise<void> => {
    const given = notices.map((notice, place) => ({ ...notice, place, message: messageOf(notice) }));
    const { rows } = await sql<NoticeRow>`
      select g.place, d.account_no as "accountNo", d.device_no as "deviceNo", a.location_no as "locationNo",
        coalesce(s.status, 'Unknown') as status,
        (select count(*)::int from events e where e.device_no = d.device_no and e.type = 'Trap'
          and e.at_us > g."atUs" - ${hourUs}::bigint and e.at_us <= g."atUs") as recorded
      from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as g (place int, "deviceNo" int, "deviceCreatedUs" bigint,
        "atUs" bigint, message text)
      join agents a on a.agent_no = ${sender.agentNo}::int
      join devices d on d.device_no = g."deviceNo" and d.account_no = a.account_no
        and (g."deviceCreatedUs" = 0 or d.created_us = g."deviceCreatedUs")
      left join device_state s on s.device_no = d.device_no
      where g."atUs" <= ${nowUs + 5 * minuteUs}::bigint
        and exists (select from assignment_spans p where p.device_no = d.device_no and p.agent_no = a.agent_no
          and p.from_us <= g."atUs" + ${toleranceUs}::bigint
          and coalesce(p.to_us, ${foreverUs}::bigint) >= g."atUs" - ${toleranceUs}::bigint)
        and not exists (select from events e where e.device_no = d.device_no and e.at_us = g."atUs" and e.type = 'Trap'
          and e.message = g.message offset 0)
      order by g.place`.execute(trx);
    await recordEvents(trx, causesOf(rows, notices, nowUs), nowUs);
  };
}

/** The causes of the notices that have room. Pure. */
function causesOf(
  rows: readonly NoticeRow[],
  notices: readonly ParsedNotice[],
  nowUs: number,
): readonly CauseOf<'trap-received'>[] {
  const added = new Map<number, number>();
  return rows.flatMap(({ place, accountNo, deviceNo, locationNo, status, recorded }) => {
    const notice = notices[place];
    const before = recorded + (added.get(deviceNo) ?? 0);
    if (notice === undefined || before >= maxAnHour) return [];
    added.set(deviceNo, (added.get(deviceNo) ?? 0) + 1);
    const { atUs, kind: from, text } = notice;
    const isLate = nowUs > atUs + lateAfterUs;
    return [{ kind: 'trap-received', accountNo, deviceNo, locationNo, atUs, status, from, text, isLate }];
  });
}

/** As the event's kind has it, so that a notice that is sent again is recognised. */
function messageOf({ kind, text }: ParsedNotice): string {
  return noticeText({ from: kind, text });
}
