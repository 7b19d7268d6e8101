import { dayUs, minuteUs } from '@vantage/domain';
import { type Clock, type FieldFault, isId, newId } from '@vantage/kernel';
import { idField } from '@vantage/rest-kit/field';
import { pageLimit, pageQuery, timestampQuery } from '@vantage/rest-kit/paging';
import { invalid, missingReason } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import { timestampProblem } from '@vantage/rest-kit/zone';
import type { Reader } from '@vantage/storage';
import { z } from 'zod';
import type { ChangeByCaller } from '../../resources/change.ts';
import type { DeviceSubject } from '../history/check-routes.ts';
import { readEnds } from '../history/period.ts';
import { markCreate, markRecord, showMark } from './mark-fields.ts';
import {
  deleteMark,
  findDeviceNos,
  findMark,
  findTagNos,
  insertMark,
  keptUs,
  listMarks,
  type StoredMark,
} from './mark-store.ts';

const maxRows = 500;
/** A clock that is ahead by less than this sends no wrong time. */
const toleranceUs = minuteUs;

interface MarkDeps {
  readonly clock: Clock;
  readonly device: DeviceSubject;
  readonly change: ChangeByCaller;
}

/** Making and deleting marks, and all marks of a device for one time axis. */
export function markRoutes(deps: MarkDeps): Route[] {
  return [createRoute(deps), removeRoute(deps), deviceRoute(deps)];
}

function createRoute({ clock, change }: MarkDeps): Route {
  return route({
    method: 'POST',
    path: '/marks',
    limitedCallers: 'permitted',
    level: 'UO',
    tag: 'Marks',
    summary: 'Marks a moment on the time axis of devices: a deployment, a change or a note.',
    description:
      'A mark is kept for 400 days; an account has at most 100,000 of them, then the oldest are deleted. A caller who is limited to tags can name these tags and their devices.',
    subject: noSubject,
    body: markCreate,
    response: z.strictObject({ mark_id: idField }),
    names: { root: 'mark', id: 'mark_id' },
    handler: async ({ db, session, body }) => {
      const { accountNo, keyNo, zone } = session;
      const mark = await readMark(db, session, body, clock.nowUs());
      const id = newId();
      const { Text, Kind, Link = null } = body;
      await change(db, session, async ({ trx, record }) => {
        await insertMark(trx, keyNo, {
          mark_id: id,
          account_no: accountNo,
          kind: Kind,
          text: Text,
          link: Link,
          at_us: mark.atUs,
          tag_nos: [...mark.tagNos],
          device_nos: [...mark.deviceNos],
        });
        const shown = {
          Text,
          Kind,
          At: zone.format(mark.atUs),
          Link,
          Tags: body.Tags,
          Devices: body.Devices,
        };
        const fields = Object.entries(shown)
          .filter(([, now]) => now !== null && now !== undefined)
          .map(([field, now]) => ({ field, old: null, new: now }));
        record({ action: 'create', kind: 'mark', accountNo, id, fields });
      });
      return { body: { mark_id: id } };
    },
  });
}

/** The subjects of a mark and its moment. Throws a Problem (1004) with all that is wrong. */
async function readMark(
  db: Reader,
  { accountNo, zone, scope }: Session,
  { Tags = [], Devices = [], At = null }: z.output<typeof markCreate>,
  nowUs: number,
) {
  const [tags, devices] = await Promise.all([
    findTagNos(db, accountNo, Tags),
    findDeviceNos(db, accountNo, Devices),
  ]);
  // A tag that is not of the caller may be seen at a device, but other devices have it too.
  const mayName = (no: number) => scope === undefined || scope.includes(no);
  const isKnown = (text: string) => {
    const nos = tags.get(text) ?? [];
    return nos.length > 0 && nos.every(mayName);
  };
  const faults: FieldFault[] = [];
  const noTag = Tags.find((text) => !isKnown(text));
  if (noTag !== undefined)
    faults.push({
      field: 'Tags',
      message: `There is no tag ${JSON.stringify(noTag.slice(0, 60))} that may be marked`,
      reason: missingReason('tag'),
    });
  const noDevice = Devices.find((id) => !devices.has(id));
  if (noDevice !== undefined)
    faults.push({
      field: 'Devices',
      message: `There is no device ${noDevice}`,
      reason: missingReason('device'),
    });
  if (Tags.length + Devices.length === 0)
    faults.push({ field: 'Devices', message: 'Send Devices or Tags: what the mark is about' });
  const atUs = At === null ? nowUs : zone.parse(At);
  const timeFault = At === null ? undefined : (timestampProblem(At) ?? atProblem(atUs ?? nowUs, nowUs));
  if (timeFault !== undefined) faults.push({ field: 'At', message: timeFault });
  if (faults.length > 0) throw invalid(faults);
  return {
    atUs: Math.min(atUs ?? nowUs, nowUs),
    tagNos: new Set([...tags.values()].flat()),
    deviceNos: new Set(devices.values()),
  };
}

function atProblem(atUs: number, nowUs: number): string | undefined {
  if (atUs > nowUs + toleranceUs) return 'must not be in the future';
  return atUs < nowUs - keptUs ? 'must be within the last 400 days' : undefined;
}

function removeRoute({ change }: MarkDeps): Route {
  return route({
    method: 'DELETE',
    path: '/marks/{mark_id}',
    limitedCallers: 'permitted',
    level: 'UO',
    tag: 'Marks',
    summary: 'Deletes a mark that was made by POST /marks.',
    subject: {
      what: 'mark' as const,
      find: async (
        { accountNo, scope }: Session,
        { mark_id: id = '' }: Readonly<Record<string, string>>,
        db: Reader,
      ): Promise<StoredMark | undefined> => (isId(id) ? findMark(db, { accountNo, scope, id }) : undefined),
    },
    response: z.strictObject({ mark_id: idField }),
    names: { root: 'mark', id: 'mark_id' },
    handler: async ({ db, session: { accountNo, zone }, session, subject: mark }) => {
      const { mark_id: id, text, kind, at_us } = mark;
      await change(db, session, async ({ trx, record }) => {
        await deleteMark(trx, mark);
        const fields = Object.entries({ Text: text, Kind: kind, At: zone.format(at_us) }).map(
          ([field, old]) => ({
            field,
            old,
            new: null,
          }),
        );
        record({ action: 'delete', kind: 'mark', accountNo, id, fields });
      });
      return { body: { mark_id: id } };
    },
  });
}

function deviceRoute({ clock, device }: MarkDeps): Route {
  return route({
    method: 'GET',
    path: '/devices/{device_id}/marks',
    level: 'UR',
    tag: 'Marks',
    summary: 'What happened to a device in a period, newest first.',
    description:
      'Changes of its settings from the audit, marks that were made by POST /marks about it or one of its tags, and maintenance that has begun.',
    subject: device,
    query: z.object({
      Timestamp1: timestampQuery('Begin; default: a day before the end.'),
      Timestamp2: timestampQuery('End, not included; default, and at most: now.'),
      Limit: pageLimit(maxRows, 100),
      Offset: pageQuery.Offset,
    }),
    response: z.array(markRecord),
    names: { root: 'marks', row: 'mark', id: 'mark_id' },
    handler: async ({ db, session: { accountNo, zone }, subject, query: { Limit, Offset, ...asked } }) => {
      const nowUs = clock.nowUs();
      const { fromUs, toUs } = readEnds(asked, { zone, nowUs });
      const endUs = asked.Timestamp2 === undefined ? undefined : zone.parse(asked.Timestamp2);
      const rows = await listMarks(db, {
        accountNo,
        deviceNo: subject.device_no,
        fromUs: fromUs ?? toUs - dayUs,
        // Up to now, a mark of this very second is shown at once.
        untilUs: endUs === undefined || endUs >= nowUs ? nowUs + 1 : toUs,
        limit: Offset + Limit + 1,
      });
      const next = rows.length > Offset + Limit ? { limit: Limit, offset: Offset + Limit } : undefined;
      return { body: rows.slice(Offset, Offset + Limit).map((row) => showMark(row, zone)), next };
    },
  });
}
