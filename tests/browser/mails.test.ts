import { reportOf, type UptimeRow } from '@vantage/domain/report';
import { expect, test } from 'vitest';
import { htmlBody } from '../../apps/controller/src/alerts/channels/alert-mail-html.ts';
import { mailHtml } from '../../apps/controller/src/alerts/deliver/mails/paragraph-mail-html.ts';
import { reportMail } from '../../apps/controller/src/alerts/deliver/report-mails/report-mail.ts';
import { fullNotice } from '../../apps/controller/src/alerts/deliver/testing/channel-contract.ts';
import { violationsInBothThemes } from './browser.ts';
import { useBrowser } from './system.ts';

// The HTML of mails as a mail program shows it: no script, the reader's theme, and a phone's width.

const its = useBrowser();

const longName = 'The database of the shop in the cellar of the long building';
const idOf = (at: number) => at.toString(16).padStart(48, '0');
const uptimes = Array.from({ length: 12 }, (_, at): UptimeRow => {
  const down = at * 3_107;
  return {
    device_id: idOf(at),
    ShortName: `d${at}`,
    FullName: at === 1 ? longName : `Server ${at}`,
    Uptime: {
      UpSeconds: 2_592_000 - down,
      DownSeconds: down,
      MaintenanceSeconds: at === 2 ? 7_200 : 0,
      UnknownSeconds: at === 3 ? 61 : 0,
      ExcludedSeconds: at === 4 ? 900 : 0,
      Outages: at,
      ExcludedOutages: at === 4 ? 1 : 0,
    },
  };
});
const outages = uptimes.slice(1).map(({ device_id, ShortName, FullName }, at) => ({
  outage_id: idOf(at),
  device_id,
  ShortName,
  FullName,
  Start: '2026-03-12T03:14:00+01:00',
  End: at === 0 ? null : '2026-03-12T04:06:00+01:00',
  Seconds: 3_107,
  Behind: at === 1 ? 3 : 0,
  CheckResult: 'no answer from https://shop.example.org/a/rather/long/path?with=parameters within 30 s',
  Note: at === 2 ? 'The disk was full.' : null,
  Excluded: at === 3,
}));
const tags = new Map(uptimes.map(({ device_id }, at) => [device_id, [at % 2 === 0 ? 'shop' : 'mail']]));
const facts = { uptimes, outages, tags, base: '', objective: 99_900, restSeconds: 0 };
const address = 'https://vantage.example.org/status/customers';

const mails = {
  'a monthly report': reportMail({
    name: 'The shop',
    month: '2026-03',
    zone: 'Europe/Berlin',
    isAll: true,
    objective: 99_900,
    isCut: true,
    report: reportOf(facts),
    baseUrl: 'https://vantage.example.org',
  }).html,
  'a mail to confirm a subscription': mailHtml(
    'Confirm your subscription: Our services',
    `Someone, most likely you, requested the news of this status page by e-mail: Our services\n\nTo confirm, open this address within a day:\n${address}/confirm/12.1790000000000000.abcdefghijklmnopqrstuvwxyz012345`,
  ),
  'the news of a status page': mailHtml(
    'Our services: The shop is down',
    `Investigating: We are looking into a <problem>.\nIt goes on.\n\nThe shop is down since 03:14.\n\nThe status page: ${address}\nNo further mails: ${address}/end/12.1790000000000000.abcdefghijklmnopqrstuvwxyz012345`,
  ),
  'a notification': htmlBody([fullNotice]),
  'a notification about several devices': htmlBody([fullNotice, fullNotice]),
};

test.each(Object.entries(mails))(
  'axe-core finds nothing in %s, in both themes, and a phone shows it',
  async (_, html) => {
    const page = await its.open({ width: 390 });
    // The window may come from a test that left it at a document with a policy.
    await page.goto('about:blank');
    await page.setContent(html);
    expect(await violationsInBothThemes(page)).toBe('');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  },
);
