import { cleanLine, type DeviceStatus, deviceStatuses } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { idField, timestampField } from '../../rest/http/field.ts';
import { someOf } from '../../rest/http/members.ts';
import { invalid } from '../../rest/http/problem.ts';
import { noSubject, type Route, route } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import {
  countByLocation,
  countByStatus,
  readFigures,
  readLocations,
  readTags,
  type StatusCount,
} from './summary-store.ts';
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
          .describe('Of those that are open: their messages are held back because the cause is elsewhere.'),
      })
      .meta({ id: 'AlertCounts' }),
    LastCheck: timestampField
      .nullable()
      .describe(
        'Until when agents reported their checks; null: none ever did. An old time means that nobody looks.',
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
export function summaryRoutes({ db, clock }: { readonly db: Db; readonly clock: Clock }): Route[] {
  const tagSummary = createTagSummary({ db, clock });
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
      handler: async ({ session, query: { By } }) => {
        const { accountNo, zone } = session;
        const by = readBy(By);
        const nowUs = clock.nowUs();
        const { kysely } = db;
        const [all, figures, Tags, Locations] = await Promise.all([
          countByStatus(kysely, accountNo, nowUs),
          readFigures(kysely, accountNo, nowUs),
          by.has('Tag') || by.has('Path')
            ? tagsOf({ db, tagSummary, caller: session, byPath: by.has('Path') })
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

async function tagsOf({
  db,
  tagSummary,
  caller,
  byPath,
}: {
  readonly db: Db;
  readonly tagSummary: TagSummary;
  readonly caller: Session;
  readonly byPath: boolean;
}) {
  const tags = await readTags(db.kysely, caller.accountNo);
  const levels: readonly TagLevel[] = byPath
    ? levelsOf(tags)
    : tags.map(({ tag_no, tag_id, name }) => ({ name, tagId: tag_id, tagNos: [tag_no] }));
  const groups = levels.map(({ tagNos }) => tagNos);
  const counted = byGroup(await tagSummary.count(caller, groups));
  return levels.map(({ name, tagId }, at) => ({
    tag_id: tagId,
    Name: cleanLine(name),
    ...shown(counted.get(at)),
  }));
}

async function locationsOf({ kysely }: Db, accountNo: number, nowUs: number) {
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
  const of = (status: DeviceStatus) => rows.find((row) => row.status === status)?.devices ?? 0;
  return {
    Worst: worstFirst.find((status) => of(status) > 0) ?? null,
    Up: of('Up'),
    Down: of('Down'),
    Maint: of('Maint'),
    Unknown: of('Unknown'),
  };
}

/** A level of tags whose names are paths: `berlin` of `berlin/rack-3`. */
interface TagLevel {
  readonly name: string;
  /** Of the tag with exactly this name; null: the level is no tag. */
  readonly tagId: string | null;
  /** The tags at this level and below. */
  readonly tagNos: readonly number[];
}

interface Tag {
  readonly tag_no: number;
  readonly tag_id: string;
  readonly name: string;
}

/** A path has at most so many levels; what is deeper belongs to the last of them. */
const maxLevels = 10;

/**
 * All levels of tags whose names are paths, by name. Empty parts of a name (`a//b`, `/a`) belong to the level before
 * them. Pure.
 */
export function levelsOf(tags: readonly Tag[]): readonly TagLevel[] {
  const all = tags.flatMap((tag) => pathsOf(tag.name).map((path) => ({ path, tag })));
  return [...Map.groupBy(all, ({ path }) => path)]
    .map(([name, under]) => ({
      name,
      tagId: under.find(({ tag }) => tag.name === name)?.tag.tag_id ?? null,
      tagNos: under.map(({ tag }) => tag.tag_no),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The name of a tag and every path above it. */
function pathsOf(name: string): readonly string[] {
  const parts = name.split('/').filter((part) => part !== '');
  const above = Math.min(parts.length, maxLevels) - 1;
  return [...Array.from({ length: Math.max(above, 0) }, (_, at) => parts.slice(0, at + 1).join('/')), name];
}
