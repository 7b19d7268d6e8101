import type { Uptime } from '@vantage/domain/report';
import { escapeHtml } from '@vantage/kernel';
import { namesOf } from './page-parts.ts';
import type { PageDevice, PageView } from './page-view.ts';
import { headlineOf, lengthText } from './status-page-texts.ts';

/** A status page as JSON. Pure. */
export function statusJson(view: PageView, isOld: boolean): string {
  const { page, zone, nowUs, history } = view;
  const { status, sentence } = headlineOf(view);
  const names = namesOf(view);
  const moment = (us: number | undefined) => (us === undefined ? null : zone.format(us));
  return JSON.stringify({
    Name: page.name,
    Timestamp: zone.format(nowUs),
    Stale: isOld,
    Status: status,
    Sentence: sentence,
    Groups: view.groups.map(({ name, devices }) => ({
      Name: name ?? null,
      Services: devices.map((device) => showDevice(view, device)),
    })),
    Notes: view.notes.map(({ AtUs, Kind, Text }) => ({ At: zone.format(AtUs), Kind, Text })),
    Outages: history.incidents.flatMap(({ deviceNo, fromUs, toUs }) => {
      const Name = names.get(deviceNo);
      return Name === undefined ? [] : [{ Name, Start: zone.format(fromUs), End: moment(toUs) }];
    }),
    Maintenance: view.planned.map(({ fromUs, toUs, names: Names }) => ({
      Names,
      Start: zone.format(fromUs),
      End: zone.format(toUs),
    })),
  });
}

const letters = { Up: 'U', Down: 'D', Maint: 'M', Unknown: '?' } as const;

function showDevice({ zone, history, page }: PageView, device: PageDevice): object {
  return {
    Name: device.name,
    Status: device.status,
    Since: zone.format(device.sinceUs),
    ...showUptime(history.uptimes.get(device.no)),
    Days: (history.days.get(device.no) ?? [])
      .map(({ status }) => (status === undefined ? '-' : letters[status]))
      .join(''),
    ...(page.shows.includes('URL') && { URL: device.url }),
    ...(page.shows.includes('CheckResult') && { CheckResult: device.result ?? null }),
    ...(page.shows.includes('Location') && { Locations: device.locations }),
  };
}

/** The percentage is cut, so that only a time without any Down is 100; null: less than 1 % was observed. */
function showUptime(uptime: Uptime | undefined) {
  const percent = uptime?.percent ?? null;
  return {
    Percent: percent === null ? null : Math.floor(percent * 1_000) / 1_000,
    ObservedSeconds: Math.round(uptime?.observed ?? 0),
  };
}

/** The notes and outages of a page as Atom (RFC 4287). `address` is that of the page. Pure. */
export function statusAtom(view: PageView, address: string): string {
  const { page, notes, history, nowUs } = view;
  const names = namesOf(view);
  const entries = [
    ...notes.map(({ AtUs, Kind, Text }) => ({
      key: `note-${AtUs}`,
      title: Kind,
      us: AtUs,
      text: Text,
    })),
    ...history.incidents.flatMap(({ deviceNo, fromUs, toUs }) => {
      const name = names.get(deviceNo);
      if (name === undefined) return [];
      const text =
        toUs === undefined ? `${name} is down.` : `${name} was down for ${lengthText(toUs - fromUs)}.`;
      return [{ key: `outage-${deviceNo}-${fromUs}`, title: name, us: toUs ?? fromUs, text }];
    }),
  ].sort((a, b) => b.us - a.us);
  const items = entries.map(
    ({ key, title, us, text }) =>
      `<entry><id>${escapeHtml(address)}#${key}</id><title>${escapeHtml(title)}</title><updated>${iso(us)}</updated><link href="${escapeHtml(address)}"/><content type="text">${escapeHtml(text)}</content></entry>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>${escapeHtml(address)}</id><title>${escapeHtml(page.name)}</title><updated>${iso(entries[0]?.us ?? nowUs)}</updated><author><name>${escapeHtml(page.name)}</name></author><link href="${escapeHtml(address)}"/><link rel="self" href="${escapeHtml(address)}.atom"/>
${items.join('\n')}
</feed>
`;
}

function iso(us: number): string {
  return new Date(us / 1000).toISOString();
}
