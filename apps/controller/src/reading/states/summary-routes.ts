import { cleanLine, type DeviceStatus, deviceStatuses } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { idField, timestampField } from '@vantage/rest-kit/field';
import { someOf } from '@vantage/rest-kit/members';
import { invalid } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import type { Db, Reader } from '@vantage/storage';
import { z } from 'zod';
import {
  countByLocation,
  countByStatus,
  readFigures,
  readLocations,
  readTags,
  type StatusCount,
} from './summary-store.ts';
import { levelsOf, type TagLevel } from './tag-levels.ts';
import { createTagSummary, type TagSummary } from './tag-summary.ts';

const groupings = ['Tag', 'Path', 'Location'] as const;

type Grouping = (typeof groupings)[number];

const counts = { Up: z.int(), Down: z.int(), Maint: z.int(), Unknown: z.int() } as const;

const Worst = z
  .enum(deviceStatuses)
  .nullable()
  .describe('The worst status of its devices: Down, Unknown, Maint, Up; null: it has none.');

const tagRow = z
  .strictObject({
    tag_id: idField.nullable().describe('null: a level of paths that is no tag.'),
    Name: z.string(),
    Worst,
    ...counts,
  })
  .meta({ id: 'SummaryOfTag' });

const locationRow = z
  .strictObject({ location_id: idField, Name: z.string(), Online: z.boolean(), Worst, ...counts })
  .meta({ id: 'SummaryOfLocation' });

const summary = z
  .strictObject({
    Timestamp: timestampField,
    Devices: z
      .strictObject({
        Total: z.int(),
        ...counts,
        Paused: z.int().describe('Of those that are Unknown or in maintenance: paused ones.'),
        Retrying: z.int().describe('In a retry sequence, whatever their status.'),
      })
      .meta({ id: 'DeviceCounts' }),
    Alerts: z
      .strictObject({
        Open: z.int().describe('Neither acknowledged nor snoozed.'),
        Acknowledged: z.int(),
        Snoozed: z.int(),
        Suppressed: z
          .int()
          .describe('Open alerts whose messages are suppressed, because the cause is elsewhere.'),
      })
      .meta({ id: 'AlertCounts' }),
    LastCheck: timestampField
      .nullable()
      .describe(
        'The time until which agents reported their checks; null: they never did. An old time means that no checks run.',
      ),
    Tags: z.array(tagRow).optional(),
    Locations: z.array(locationRow).optional(),
  })
  .meta({ id: 'Summary' });

const query = z.object({
  By: someOf(
    groupings,
    'Counts for each of these, too: Tag or Path (tags whose names are paths, with the levels above), and Location.',
  ).meta({ example: ['Tag', 'Location'] }),
});

/** The state of a whole account in one answer. */
export function summaryRoutes({ clock }: { readonly clock: Clock }): Route[] {
  const tagSummary = createTagSummary({ clock });
  return [
    route({
      method: 'GET',
      path: '/summary',
      level: 'UR',
      tag: 'Devices',
      summary:
        'How many devices have each status, in all and by tag and Location; and how many alerts are open.',
      subject: noSubject,
      query,
      response: summary,
      names: { root: 'summary' },
      handler: async ({ db, session, query: { By } }) => {
        const { accountNo, zone } = session;
        const by = readBy(By);
        const nowUs = clock.nowUs();
        const { kysely } = db;
        const [all, figures, Tags, Locations] = await Promise.all([
          countByStatus(kysely, accountNo, nowUs),
          readFigures(kysely, accountNo, nowUs),
          by.has('Tag') || by.has('Path')
            ? tagsOf(db, { tagSummary, caller: session, byPath: by.has('Path') })
            : undefined,
          by.has('Location') ? locationsOf(db, accountNo, nowUs) : undefined,
        ]);
        const { Worst: _, ...statuses } = shown(all);
        const rest = {
          Devices: {
            Total: Object.values(statuses).reduce((sum, n) => sum + n, 0),
            ...statuses,
            Paused: figures.paused,
            Retrying: figures.retrying,
          },
          Alerts: {
            Open: figures.open,
            Acknowledged: figures.acknowledged,
            Snoozed: figures.snoozed,
            Suppressed: figures.suppressed,
          },
          ...(Tags && { Tags }),
          ...(Locations && { Locations }),
        };
        const LastCheck = figures.reported_us === null ? null : zone.format(figures.reported_us);
        return {
          body: { Timestamp: zone.format(nowUs), LastCheck, ...rest },
          tagged: [JSON.stringify(rest)],
        };
      },
    }),
  ];
}

function readBy(known: readonly Grouping[] = []): ReadonlySet<Grouping> {
  if (known.includes('Tag') && known.includes('Path'))
    throw invalid([{ field: 'By', message: 'must not have both Tag and Path, whose rows are both in Tags' }]);
  return new Set(known);
}

async function tagsOf(
  db: Db,
  {
    tagSummary,
    caller,
    byPath,
  }: { readonly tagSummary: TagSummary; readonly caller: Session; readonly byPath: boolean },
) {
  const tags = await readTags(db.kysely, caller.accountNo);
  const levels: readonly TagLevel[] = byPath
    ? levelsOf(tags)
    : tags.map(({ tag_no, tag_id, name }) => ({ name, tagId: tag_id, tagNos: [tag_no] }));
  const groups = levels.map(({ tagNos }) => tagNos);
  const counted = byGroup(await tagSummary.count(db, caller, groups));
  return levels.map(({ name, tagId }, at) => ({
    tag_id: tagId,
    Name: cleanLine(name),
    ...shown(counted.get(at)),
  }));
}

async function locationsOf({ kysely }: Reader, accountNo: number, nowUs: number) {
  const [locations, rows] = await Promise.all([
    readLocations(kysely, accountNo),
    countByLocation(kysely, accountNo, nowUs),
  ]);
  const counted = byGroup(rows);
  return locations.map(({ location_no, location_id, name, online }) => ({
    location_id,
    Name: cleanLine(name),
    Online: online,
    ...shown(counted.get(location_no)),
  }));
}

function byGroup(rows: readonly StatusCount[]): ReadonlyMap<number, readonly StatusCount[]> {
  return Map.groupBy(rows, ({ group_no }) => group_no);
}

/** The worst first. */
const worstFirst: readonly DeviceStatus[] = ['Down', 'Unknown', 'Maint', 'Up'];

function shown(rows: readonly StatusCount[] = []) {
  const countOf = (status: DeviceStatus) => rows.find((row) => row.status === status)?.devices ?? 0;
  return {
    Worst: worstFirst.find((status) => countOf(status) > 0) ?? null,
    Up: countOf('Up'),
    Down: countOf('Down'),
    Maint: countOf('Maint'),
    Unknown: countOf('Unknown'),
  };
}
