import { cleanLine } from '@vantage/domain';
import type { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { showUpdated } from '../../rest/http/field.ts';
import type { Route } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import type { Catalog } from '../change.ts';
import { showRowIdentity } from '../external-key.ts';
import { type ResourcePage, resourceRoutes } from '../resource-routes.ts';
import { pageCreate, pageFull, pageReadOnly, pageUpdate, readNotes } from './fields.ts';
import { logoOf, logoText } from './logo.ts';
import { accentOf, listPages, type PageRow } from './store.ts';
import { pageWriter } from './write.ts';

const names = { tag: 'Status pages', what: 'status page' as const, root: 'page', id: 'page_id' } as const;

const texts = {
  create: {
    summary: 'Creates a status page: how some devices are, for people without a key.',
    description:
      'It is served at `/status/PATH` as HTML that needs no script, at `/status/PATH.json` and at `/status/PATH.atom`. It shows names, statuses and times; URL, CheckResult and Location only where Show allows them.',
  },
  list: { summary: 'Lists status pages by name.' },
  read: { summary: 'A status page without its password.' },
  change: {
    summary: 'Changes a status page: what is absent stays.',
    description: 'Readers see the change within a few seconds. Notes are replaced as a whole.',
  },
  remove: { summary: 'Deletes a status page.' },
} as const;

/** Where status pages are; the path of a page follows. */
export const statusPath = '/status/';

/** Creating, listing, reading, changing and deleting status pages. */
export function pageRoutes({
  db,
  catalog,
  baseUrl,
}: {
  readonly db: Db;
  readonly catalog: Catalog;
  /** Where the controller is, without a slash at the end. */
  readonly baseUrl: () => string;
}): Route[] {
  const list = (accountNo: number, page: ResourcePage) => listPages(db, accountNo, page);
  return resourceRoutes({
    names,
    texts,
    catalog,
    list,
    write: pageWriter,
    create: pageCreate,
    update: pageUpdate,
    full: pageFull,
    readOnly: pageReadOnly,
    show: (row, session) => show(row, session, baseUrl()),
  });
}

function show(row: PageRow, { zone }: Session, baseUrl: string): z.input<typeof pageFull> {
  const logo = row.logo === null ? undefined : logoOf(Buffer.from(row.logo));
  return {
    page_id: row.page_id,
    Name: cleanLine(row.name),
    Path: row.path,
    Tags: row.tags,
    Access: row.access,
    Show: {
      URL: row.shows.includes('URL'),
      CheckResult: row.shows.includes('CheckResult'),
      Location: row.shows.includes('Location'),
    },
    Notes: readNotes(row.notes).map(({ AtUs, Kind, Text }) => ({ At: zone.format(AtUs), Kind, Text })),
    Logo: logo === undefined ? null : logoText(logo),
    Accent: accentOf(row),
    Footer: row.footer,
    Address: `${baseUrl}${statusPath}${row.path}`,
    ...showRowIdentity(row),
    ...showUpdated(row.updated_us, zone),
    CreatedAt: zone.format(row.created_us),
  };
}
