import { escaped } from '../../../rest/http/form-page.ts';
import { namesOf } from './html.ts';
import type { PageDevice, PageView } from './view.ts';
import { headlineOf, lengthText } from './words.ts';

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
    Percent: history.percents.get(device.no) ?? null,
    Days: (history.days.get(device.no) ?? [])
      .map(({ status }) => (status === undefined ? '-' : letters[status]))
      .join(''),
    ...(page.shows.includes('URL') && { URL: device.url }),
    ...(page.shows.includes('CheckResult') && { CheckResult: device.result ?? null }),
    ...(page.shows.includes('Location') && { Locations: device.locations }),
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
      `<entry><id>${escaped(address)}#${key}</id><title>${escaped(title)}</title><updated>${iso(us)}</updated><link href="${escaped(address)}"/><content type="text">${escaped(text)}</content></entry>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>${escaped(address)}</id><title>${escaped(page.name)}</title><updated>${iso(entries[0]?.us ?? nowUs)}</updated><author><name>${escaped(page.name)}</name></author><link href="${escaped(address)}"/><link rel="self" href="${escaped(address)}.atom"/>
${items.join('\n')}
</feed>
`;
}

function iso(us: number): string {
  return new Date(us / 1000).toISOString();
}
