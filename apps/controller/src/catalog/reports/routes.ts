import { cleanLine } from '@vantage/domain';
import { nextMonth } from '@vantage/domain/report';
import type { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { showUpdated } from '../../rest/http/field.ts';
import type { Route } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import type { Catalog } from '../change.ts';
import { showRowIdentity } from '../external-key.ts';
import { type ResourcePage, resourceRoutes } from '../resource-routes.ts';
import { reportCreate, reportFull, reportReadOnly, reportUpdate } from './fields.ts';
import { listReports, type ReportRow } from './store.ts';
import { reportWriter } from './write.ts';

const names = {
  tag: 'Monthly reports',
  what: 'monthly report' as const,
  root: 'report',
  id: 'report_id',
} as const;

const texts = {
  create: {
    summary: 'Creates a report that is sent by mail after each month.',
    description:
      'The month that runs is the first. The mail has the figures of GET /uptime of the whole month in the zone of the account, by group and device, and its outages. It is made once, on the first day of the next month, or as soon as a controller runs.',
  },
  list: { summary: 'Lists monthly reports by name.' },
  read: { summary: 'A monthly report, and how its last mail went.' },
  change: { summary: 'Changes a monthly report: what is absent stays.' },
  remove: { summary: 'Deletes a monthly report. Mails that wait are not sent.' },
} as const;

/** Creating, listing, reading, changing and deleting monthly reports. */
export function reportRoutes({ db, catalog }: { readonly db: Db; readonly catalog: Catalog }): Route[] {
  const list = (accountNo: number, page: ResourcePage) => listReports(db, accountNo, page);
  return resourceRoutes({
    names,
    texts,
    catalog,
    list,
    show,
    write: reportWriter,
    create: reportCreate,
    update: reportUpdate,
    full: reportFull,
    readOnly: reportReadOnly,
  });
}

function show(row: ReportRow, { zone }: Session): z.input<typeof reportFull> {
  const { month, created_us: createdUs } = row;
  return {
    report_id: row.report_id,
    Name: cleanLine(row.name),
    Contacts: [...row.contact_ids],
    Tags: row.tags,
    Objective: row.objective === null ? null : row.objective / 1_000,
    ...showRowIdentity(row),
    Next: zone.format(nextMonth({ createdUs, month }, zone.name).toUs),
    LastMonth: month,
    LastAnswer: row.answer,
    ...showUpdated(row.updated_us, zone),
    CreatedAt: zone.format(row.created_us),
  };
}
