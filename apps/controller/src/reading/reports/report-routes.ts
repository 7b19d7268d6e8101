import { cleanLine } from '@vantage/domain';
import { nextMonth } from '@vantage/domain/report';
import { showUpdated } from '@vantage/rest-kit/field';
import type { Route } from '@vantage/rest-kit/route';
import type { Session } from '@vantage/rest-kit/session';
import type { z } from 'zod';
import type { Catalog } from '../../resources/change.ts';
import { showRowIdentity } from '../../resources/external-key.ts';
import { resourceRoutes } from '../../resources/resource-routes.ts';
import { reportCreate, reportFull, reportReadOnly, reportUpdate } from './report-fields.ts';
import { listReports, type ReportRow } from './report-store.ts';
import { reportWriter } from './report-write.ts';

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
      'The first report is about the current month. The mail has the figures of GET /uptime of the whole month in the zone of the account, by group and device, and its outages. It is sent once, on the first day of the next month, or as soon as a controller runs.',
  },
  list: { summary: 'Lists monthly reports by name.' },
  read: { summary: 'A monthly report, and how its last mail went.' },
  change: { summary: 'Changes a monthly report: what is absent stays.' },
  remove: { summary: 'Deletes a monthly report. Mails that wait are not sent.' },
} as const;

/** Creating, listing, reading, changing and deleting monthly reports. */
export function reportRoutes({ catalog }: { readonly catalog: Catalog }): Route[] {
  return resourceRoutes({
    limitedCallers: 'refused',
    names,
    texts,
    catalog,
    list: listReports,
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
