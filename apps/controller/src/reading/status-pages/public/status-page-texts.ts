import { minuteUs } from '@vantage/domain';
import type { Zone } from '@vantage/rest-kit/zone';
import type { PageDevice, PageView } from './page-view.ts';

/** The sentence at the head of a status page, and the line below it. */
export interface PageHeadline {
  /** The worst status of the page. */
  readonly status: PageDevice['status'];
  readonly sentence: string;
  readonly line: string;
}

/** Says in words how the devices of a page are. Pure. */
export function headlineOf({ groups, zone, nowUs }: PageView): PageHeadline {
  const devices = groups.flatMap((group) => group.devices);
  const withStatus = (status: PageDevice['status']) => devices.filter((device) => device.status === status);
  const [down, unknown, maint, up] = [
    withStatus('Down'),
    withStatus('Unknown'),
    withStatus('Maint'),
    withStatus('Up'),
  ];
  const rest = [
    ...(unknown.length > 0 ? [`${services(unknown.length)} not observed`] : []),
    ...(maint.length > 0 ? [`${services(maint.length)} in maintenance`] : []),
    ...(up.length > 0 ? [`${up.length} ${up.length === 1 ? 'is' : 'are'} operational`] : []),
  ];
  const line = rest.join(', ');
  const [first] = down;
  if (first !== undefined && down.length === 1) {
    const since = `since ${shortMoment(first.sinceUs, zone, nowUs)}`;
    return {
      status: 'Down',
      sentence: `${first.name} is down`,
      line: [since, line].filter(Boolean).join(' · '),
    };
  }
  if (down.length > 1)
    return { status: 'Down', sentence: `${down.length} of ${devices.length} services are down`, line };
  if (devices.length === 0) return { status: 'Unknown', sentence: 'This page has no services yet', line: '' };
  if (unknown.length > 0)
    return {
      status: 'Unknown',
      sentence:
        unknown.length === devices.length
          ? 'Nothing is observed at the moment'
          : `It is not known how ${services(unknown.length)} ${unknown.length === 1 ? 'is' : 'are'}`,
      line:
        unknown.length === devices.length ? 'The services may work all the same.' : rest.slice(1).join(', '),
    };
  if (maint.length > 0)
    return {
      status: 'Maint',
      sentence: `Maintenance of ${services(maint.length)}`,
      line: rest.slice(1).join(', '),
    };
  return { status: 'Up', sentence: 'All services are operational', line: '' };
}

function services(count: number): string {
  return `${count} service${count === 1 ? '' : 's'}`;
}

/** A moment: its time today, else its date, too. Pure. */
export function shortMoment(us: number, zone: Zone, nowUs: number): string {
  const text = zone.format(us);
  const time = text.slice(11, 16);
  return text.slice(0, 10) === zone.format(nowUs).slice(0, 10) ? time : `${dayText(text)}, ${time}`;
}

const months = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** The date of an ISO time in words. Pure. */
export function dayText(iso: string): string {
  return `${Number(iso.slice(8, 10))} ${months[Number(iso.slice(5, 7)) - 1]} ${iso.slice(0, 4)}`;
}

/** A length of time in two parts at most: 41 min, 1 h 12 min. Pure. */
export function lengthText(us: number): string {
  const minutes = Math.max(1, Math.round(us / minuteUs));
  if (minutes < 60) return `${minutes}\u00a0min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}\u00a0h${minutes % 60 === 0 ? '' : ` ${minutes % 60}\u00a0min`}`;
  const days = Math.floor(hours / 24);
  return `${days}\u00a0d${hours % 24 === 0 ? '' : ` ${hours % 24}\u00a0h`}`;
}
