import { dayUs, secondUs } from '@vantage/domain';
import { uptimeWords } from '@vantage/domain/report';
import { escapeHtml } from '@vantage/kernel';
import { type PageDay, shownDays, worstDays } from './days.ts';
import type { PageDevice, PageView } from './page-view.ts';
import { dayText, lengthText, shortMoment } from './status-page-texts.ts';

export function groupHtml(view: PageView, { name, devices }: PageView['groups'][number]): string {
  const head = name === undefined ? '' : `<h2><bdi>${escapeHtml(name)}</bdi></h2>`;
  return `${head}<ul>${devices.map((device) => deviceHtml(view, device)).join('')}</ul>\n`;
}

function deviceHtml({ zone, nowUs, history }: PageView, device: PageDevice): string {
  const { status } = device;
  const uptime = history.uptimes.get(device.no);
  const words = uptime === undefined ? 'nothing observed' : uptimeWords(uptime, `${shownDays}\u00a0d`);
  const more = [device.url, device.locations?.join(', '), device.result].filter(Boolean).map(String);
  const when =
    status === 'Maint' && device.maintenanceUntilUs !== null
      ? ` until ${shortMoment(device.maintenanceUntilUs, zone, nowUs)}`
      : status === 'Up'
        ? ''
        : ` since ${shortMoment(device.sinceUs, zone, nowUs)}`;
  const days = history.days.get(device.no) ?? [];
  return `<li class="service"><div class="head"><bdi>${escapeHtml(device.name)}</bdi><span class="mute">${words}</span><span class="status ${status}">${icon(status)}${status}${when}</span></div>${more.map((line) => `<p class="mute text">${escapeHtml(line)}</p>`).join('')}${daysSvg(days)}</li>`;
}

/** All services by day, as one row; nothing if there is only one. */
export function allServicesHtml(view: PageView): string {
  const devices = view.groups.flatMap((group) => group.devices);
  if (devices.length < 2) return '';
  const days = worstDays(devices.map(({ no }) => view.history.days.get(no) ?? []));
  return `<h2>All services</h2>${daysSvg(days)}`;
}

const maxNames = 10;

/** The days with an outage, newest first, with the services and their time down: the rows of bars as a text. */
export function dayListHtml(view: PageView): string {
  const { history, zone } = view;
  const devices = view.groups.flatMap((group) => group.devices);
  const items: string[] = [];
  for (let at = shownDays - 1; at >= 0; at -= 1) {
    const down = devices.flatMap(({ no, name }) => {
      const seconds = history.days.get(no)?.[at]?.downSeconds ?? 0;
      return seconds > 0 ? [{ name, seconds }] : [];
    });
    if (down.length === 0) continue;
    const services = down
      .sort((a, b) => b.seconds - a.seconds)
      .slice(0, maxNames)
      .map(({ name, seconds }) => `<bdi>${escapeHtml(name)}</bdi> ${lengthText(seconds * secondUs)}`);
    const more = down.length > maxNames ? `, and ${down.length - maxNames} more` : '';
    // Noon, so that a day of 23 or 25 hours does not move the date.
    const date = dayText(zone.format(history.fromUs + (at + 0.5) * dayUs));
    items.push(`<li><h3>${date}</h3><p>${services.join(', ')}${more}</p></li>`);
  }
  return items.length === 0
    ? ''
    : `<details><summary>Time down by day</summary><ul class="notes">${items.join('')}</ul></details>`;
}

/** Each day is 8 units wide. Down is as tall as the time down, Maint and Unknown are about half. */
function daysSvg(days: readonly PageDay[]): string {
  let runs = '';
  const bars = { Down: '', Maint: '', Unknown: '' };
  let from = 0;
  const close = (to: number, status: PageDay['status']) => {
    if (to > from && (status === 'Up' || status === undefined))
      runs += `<path class="${status ?? 'none'}" d="M${from * 8} ${status === 'Up' ? 25.5 : 27.5}H${to * 8}"/>`;
  };
  days.forEach(({ status, downSeconds }, at) => {
    const before = days[at - 1]?.status;
    if (at > 0 && status !== before) {
      close(at, before);
      from = at;
    }
    if (status === undefined || status === 'Up') return;
    const tall = status === 'Down' ? 6 + Math.round(Math.min(1, downSeconds / 14_400) * 22) : 14;
    bars[status] += `M${at * 8 + 3.5} 28v-${tall}`;
  });
  close(days.length, days.at(-1)?.status);
  const paths = (['Unknown', 'Maint', 'Down'] as const)
    .filter((status) => bars[status] !== '')
    .map((status) => `<path class="${status}" d="${bars[status]}"/>`);
  return `<svg class="days" viewBox="0 0 720 28" preserveAspectRatio="none" role="img" aria-label="${daysLabel(days)}">${runs}${paths.join('')}</svg>`;
}

function daysLabel(days: readonly PageDay[]): string {
  const count = (status: PageDay['status']) => days.filter((day) => day.status === status).length;
  const parts = [
    `${count('Down')} of ${days.length} days with an outage`,
    ...(count('Maint') > 0 ? [`${count('Maint')} with maintenance`] : []),
    ...(count('Unknown') > 0 ? [`${count('Unknown')} not observed for an hour or more`] : []),
    ...(count(undefined) > 0 ? [`${count(undefined)} not observed`] : []),
  ];
  return parts.join(', ');
}

const shapes = {
  Up: '<circle class="Up" cx="6" cy="6" r="3.5"/>',
  Down: '<path class="Down" d="M6 0.5 12 11.5H0z"/>',
  Maint: '<rect class="Maint" x="1" y="1" width="10" height="10" rx="2"/>',
  Unknown: '<circle class="Unknown" cx="6" cy="6" r="4.5"/>',
} as const;

export function icon(status: PageDevice['status']): string {
  return `<svg class="mark" viewBox="0 0 12 12" aria-hidden="true">${shapes[status]}</svg>`;
}

export function notesHtml({ notes, zone, nowUs }: PageView): string {
  if (notes.length === 0) return '';
  const items = notes.map(
    ({ AtUs, Kind, Text }) =>
      `<li class="timed"><span class="mute">${escapeHtml(shortMoment(AtUs, zone, nowUs))}</span><div><h3>${Kind}</h3><p class="text">${escapeHtml(Text)}</p></div></li>`,
  );
  return `<h2>Notes</h2><ul class="notes">${items.join('')}</ul>`;
}

export function incidentsHtml(view: PageView): string {
  const { history, zone, nowUs } = view;
  const names = namesOf(view);
  const items = history.incidents.flatMap(({ deviceNo, fromUs, toUs }) => {
    const name = names.get(deviceNo);
    if (name === undefined) return [];
    const length = toUs === undefined ? 'down since then' : `down for ${lengthText(toUs - fromUs)}`;
    return [
      `<li class="timed"><span class="mute">${escapeHtml(shortMoment(fromUs, zone, nowUs))}</span><div><h3><bdi>${escapeHtml(name)}</bdi></h3><p>${length}</p></div></li>`,
    ];
  });
  return items.length === 0
    ? ''
    : `<h2>Outages of the last 14 days</h2><ul class="notes">${items.join('')}</ul>`;
}

export function plannedHtml(view: PageView): string {
  if (view.planned.length === 0) return '';
  const items = view.planned.map(
    ({ fromUs, toUs, names }) =>
      `<li class="timed"><span class="mute">${escapeHtml(shortMoment(fromUs, view.zone, view.nowUs))}</span><div><h3>${names.map((name) => `<bdi>${escapeHtml(name)}</bdi>`).join(', ')}</h3><p>for ${lengthText(toUs - fromUs)}</p></div></li>`,
  );
  return `<h2>Planned maintenance</h2><ul class="notes">${items.join('')}</ul>`;
}

/** The names of a page's devices by their numbers. */
export function namesOf({ groups }: PageView): ReadonlyMap<number, string> {
  return new Map(groups.flatMap(({ devices }) => devices.map(({ no, name }) => [no, name])));
}

export function momentText({ zone }: PageView, us: number): string {
  const text = zone.format(us);
  return `${dayText(text)}, ${text.slice(11, 16)} (${zone.name})`;
}
