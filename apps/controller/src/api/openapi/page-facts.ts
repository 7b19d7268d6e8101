import type { Fact } from './schema.ts';

/** Facts of hooks, status pages, secrets and outages. */
export const pageFacts = (id: string): Readonly<Record<string, Fact>> => ({
  secret_id: { text: 'Id of the secret.', example: id },
  outage_id: { text: 'Id of the outage.', example: id },
  hook_id: { text: 'Id of the hook.', example: id },
  page_id: { text: 'Id of the status page.', example: id },
  'Hook.Name': { text: 'Name of the hook.', example: 'Data warehouse' },
  'Hook.Address': { example: 'https://events.example.org/vantage' },
  'Hook.Events': { example: ['Down', 'Up'] },
  'Hook.Tag': { example: { tag_id: id, Name: 'berlin' } },
  FailingSince: { example: null },
  LastDelivered: { example: '2026-02-25T23:38:03+01:00' },
  GivenUp: { example: 0 },
  report_id: { text: 'Id of the monthly report.', example: id },
  'MonthlyReport.Name': { text: 'Name of the report.', example: 'Shop, monthly' },
  'MonthlyReport.Objective': { example: 99.9 },
  'MonthlyReport.Contacts': { example: [id] },
  'MonthlyReport.Next': { example: '2026-11-01T00:00:00+01:00' },
  'Page.Name': { text: 'Title of the page.', example: 'Example services' },
  'Page.Path': { text: 'The page is at /status/PATH.', example: 'customers' },
  'Page.Access': { example: 'Public' },
  'PageNoteSent.At': { example: '2026-02-25T23:38:03Z' },
  'PageNote.At': { text: 'When it was written, or when it begins.', example: '2026-02-25T23:38:03+01:00' },
  'PageNote.Kind': { text: 'The stage of the incident, or the kind of the note.', example: 'Identified' },
  'PageNote.Text': { text: 'What people wrote.', example: 'We are replacing a router.' },
});
