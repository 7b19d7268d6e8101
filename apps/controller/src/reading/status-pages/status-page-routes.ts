import { cleanLine } from '@vantage/domain';
import { showUpdated } from '@vantage/rest-kit/field';
import type { Route } from '@vantage/rest-kit/route';
import type { Session } from '@vantage/rest-kit/session';
import type { z } from 'zod';
import type { Catalog } from '../../resources/change.ts';
import { showRowIdentity } from '../../resources/external-key.ts';
import { resourceRoutes } from '../../resources/resource-routes.ts';
import { logoOf, logoText } from './logo.ts';
import { pageCreate, pageFull, pageReadOnly, pageUpdate } from './status-page-fields.ts';
import { readNotes } from './status-page-notes.ts';
import { accentOf, listPages, type PageRow } from './status-page-store.ts';
import { pageWriter } from './status-page-write.ts';

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

/** The path of status pages; the path of a page follows. */
export const statusPath = '/status/';

/** Creating, listing, reading, changing and deleting status pages. */
export function pageRoutes({
  catalog,
  baseUrl,
}: {
  readonly catalog: Catalog;
  /** The address of the controller, without a slash at the end. */
  readonly baseUrl: () => string;
}): Route[] {
  return resourceRoutes({
    limitedCallers: 'refused',
    names,
    texts,
    catalog,
    list: listPages,
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
