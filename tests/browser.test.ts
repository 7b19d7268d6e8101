// The page in a browser, all on one system and in one browser, because their start costs more than most of these tests.
// Each file begins with an empty account. They run in this order: the first one reads who did what first, and the last
// one ends the provider of single sign-on.
import { describe } from 'vitest';
import './browser/system.ts';

const files = {
  people: () => import('./browser/people.ts'),
  page: () => import('./browser/page.ts'),
  states: () => import('./browser/states.ts'),
  headlines: () => import('./browser/headlines.ts'),
  journey: () => import('./browser/journey.ts'),
  wall: () => import('./browser/wall.ts'),
  reports: () => import('./browser/reports.ts'),
  'status pages': () => import('./browser/status-pages.ts'),
  maintenance: () => import('./browser/maintenance.ts'),
  contacts: () => import('./browser/contacts.ts'),
  schedules: () => import('./browser/schedules.ts'),
  changes: () => import('./browser/changes.ts'),
  'an open page': () => import('./browser/open-page.ts'),
  told: () => import('./browser/told.ts'),
  drafts: () => import('./browser/drafts.ts'),
  hostile: () => import('./browser/hostile.ts'),
  mails: () => import('./browser/mails.ts'),
  'single sign-on': () => import('./browser/single-sign-on.ts'),
};

for (const [name, load] of Object.entries(files)) describe(name, async () => void (await load()));
