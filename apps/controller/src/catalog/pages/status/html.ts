import { hash } from 'node:crypto';
import { escaped, linked } from '../../../rest/http/form-page.ts';
import { type Logo, logoOf } from '../logo.ts';
import { accentOf } from '../store.ts';
import type { PageDay } from './days.ts';
import { accentStyle, style } from './style.ts';
import type { PageDevice, PageView, ReadPage } from './view.ts';
import { dayText, headlineOf, lengthText, shortMoment } from './words.ts';

/** Nothing is loaded, no script runs, nobody may frame the page, and its forms go to this server only. */
export const statusHeaders = headersOf(style, "default-src 'none'");

/** Those of a page that may look different: its own style, and its logo from this server. Pure. */
export function pageHeaders(page: ReadPage): Readonly<Record<string, string>> {
  const loads = logoOfPage(page) === undefined ? '' : "; img-src 'self'";
  return headersOf(styleOf(page), `default-src 'none'${loads}`);
}

function headersOf(css: string, loads: string): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': `${loads}; style-src 'sha256-${hash('sha256', css, 'base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
}

function styleOf(page: ReadPage): string {
  const accent = accentOf(page);
  return accent === null ? style : `${style}${accentStyle(accent)}`;
}

/** The logo of a page; undefined: it has none. Pure. */
export function logoOfPage({ logo }: Pick<ReadPage, 'logo'>): Logo | undefined {
  return logo === null ? undefined : logoOf(Buffer.from(logo));
}

/** A status page as HTML: it works without scripts, and has a link that reads it anew. Pure. */
export function statusHtml(
  view: PageView,
  { isOld, canSubscribe }: { readonly isOld: boolean; readonly canSubscribe: boolean },
): string {
  const { page, groups, zone, nowUs } = view;
  const headline = headlineOf(view);
  const age = isOld
    ? `<p>The monitoring does not answer. This is how it was at ${shortMoment(nowUs, zone, nowUs)}; it says nothing about the services now.</p>`
    : '';
  const body = `<p class="brand">${logoHtml(page)}<b><bdi>${escaped(page.name)}</bdi></b> <span class="mute">· status of our services</span></p>
<div class="state ${isOld ? 'old' : headline.status}">${mark(headline.status)}<div><h1>${escaped(headline.sentence)}</h1>${
    headline.line === '' ? '' : `<p class="mute">${escaped(headline.line)}</p>`
  }${age}</div></div>
${groups.map((group) => groupHtml(view, group)).join('')}${view.left > 0 ? `<p class="mute">${view.left} more services are not shown.</p>` : ''}
<p class="axis"><span>90 days ago</span><span>percentages are of these 90 days</span><span>today</span></p>
<p class="legend"><span>${mark('Up')}Up</span><span>${mark('Down')}Down, taller is longer</span><span>${mark('Maint')}Maintenance</span><span>${mark('Unknown')}Unknown: not observed</span></p>
${notesHtml(view)}${incidentsHtml(view)}${plannedHtml(view)}${canSubscribe ? subscribeHtml(page.path) : ''}${page.footer === null ? '' : `<p class="own text">${linked(page.footer)}</p>`}
<p class="foot">As of ${escaped(momentText(view, nowUs))} · <a href="/status/${page.path}">Read it anew</a> · <a href="/status/${page.path}.atom">Feed</a> · <a href="/status/${page.path}.json">JSON</a></p>`;
  return frame(`${headline.sentence} · ${page.name}`, body, { path: page.path, css: styleOf(page) });
}

/** The name of the page follows, so the image says nothing more. Its address changes with it. */
function logoHtml(page: ReadPage): string {
  const logo = logoOfPage(page);
  if (logo === undefined) return '';
  const { width, height, extension, bytes } = logo;
  const address = `/status/${page.path}.${extension}?${hash('sha256', bytes).slice(0, 16)}`;
  return `<img src="${address}" alt="" width="${Math.round((width / height) * shownHeight)}" height="${shownHeight}">`;
}

const shownHeight = 40;

/** The page that asks for the password of a status page. Pure. */
export function passwordHtml(name: string, fault: string | undefined): string {
  return frame(
    name,
    `<h1><bdi>${escaped(name)}</bdi></h1><form method="post">${fault === undefined ? '' : `<p role="alert">${escaped(fault)}</p>`}
<label for="password">Password</label><input id="password" name="Password" type="password" autocomplete="current-password" maxlength="200" required autofocus><button>Show the page</button></form>`,
    {},
  );
}

/** A page with one sentence and a button that does what it says. Pure. */
export function buttonHtml(title: string, text: string, button: string): string {
  return frame(
    title,
    `<h1>${escaped(title)}</h1><p>${escaped(text)}</p><form method="post"><button>${escaped(button)}</button></form>`,
    {},
  );
}

function subscribeHtml(path: string): string {
  return `<h2>By e-mail</h2><form method="post" action="/status/${path}/subscribe"><label for="email">Get a mail when a service goes down or comes back, and for each note</label><input id="email" name="Email" type="email" autocomplete="email" maxlength="254" required><button>Subscribe</button></form>`;
}

/** A page with one sentence. Pure. */
export function sentenceHtml(title: string, text: string): string {
  return frame(title, `<h1>${escaped(title)}</h1><p>${escaped(text)}</p>`, {});
}

function frame(
  title: string,
  body: string,
  { path, css = style }: { readonly path?: string; readonly css?: string },
): string {
  const feed =
    path === undefined
      ? ''
      : `<link rel="alternate" type="application/atom+xml" href="/status/${path}.atom">`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>${feed}<style>${css}</style></head>
<body><main>${body}</main></body></html>
`;
}

function groupHtml(view: PageView, { name, devices }: PageView['groups'][number]): string {
  const head = name === undefined ? '' : `<h2><bdi>${escaped(name)}</bdi></h2>`;
  return `${head}<ul>${devices.map((device) => deviceHtml(view, device)).join('')}</ul>\n`;
}

function deviceHtml({ zone, nowUs, history }: PageView, device: PageDevice): string {
  const { status } = device;
  const percent = history.percents.get(device.no) ?? null;
  const more = [device.url, device.locations?.join(', '), device.result].filter(Boolean).map(String);
  const when =
    status === 'Maint' && device.maintenanceUntilUs !== null
      ? ` until ${shortMoment(device.maintenanceUntilUs, zone, nowUs)}`
      : status === 'Up'
        ? ''
        : ` since ${shortMoment(device.sinceUs, zone, nowUs)}`;
  const days = history.days.get(device.no) ?? [];
  return `<li class="service"><div class="head"><bdi>${escaped(device.name)}</bdi><span class="mute">${percent === null ? '–' : `${percent}\u00a0%`}</span><span class="status ${status}">${mark(status)}${status}${when}</span></div>${more.map((line) => `<p class="mute text">${escaped(line)}</p>`).join('')}${daysSvg(days)}</li>`;
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
  const count = (wanted: PageDay['status']) => days.filter(({ status }) => status === wanted).length;
  const parts = [
    `${count('Down')} of ${days.length} days with an outage`,
    ...(count('Maint') > 0 ? [`${count('Maint')} with maintenance`] : []),
    ...(count('Unknown') > 0 ? [`${count('Unknown')} not observed throughout`] : []),
  ];
  return parts.join(', ');
}

const shapes = {
  Up: '<circle class="Up" cx="6" cy="6" r="3.5"/>',
  Down: '<path class="Down" d="M6 0.5 12 11.5H0z"/>',
  Maint: '<rect class="Maint" x="1" y="1" width="10" height="10" rx="2"/>',
  Unknown: '<circle class="Unknown" cx="6" cy="6" r="4.5"/>',
} as const;

function mark(status: PageDevice['status']): string {
  return `<svg class="mark" viewBox="0 0 12 12" aria-hidden="true">${shapes[status]}</svg>`;
}

function notesHtml({ notes, zone, nowUs }: PageView): string {
  if (notes.length === 0) return '';
  const items = notes.map(
    ({ AtUs, Kind, Text }) =>
      `<li><h3>${Kind} <span class="mute">· ${escaped(shortMoment(AtUs, zone, nowUs))}</span></h3><p class="text">${escaped(Text)}</p></li>`,
  );
  return `<h2>Notes</h2><ul class="notes">${items.join('')}</ul>`;
}

function incidentsHtml(view: PageView): string {
  const { history, zone, nowUs } = view;
  const names = namesOf(view);
  const items = history.incidents.flatMap(({ deviceNo, fromUs, toUs }) => {
    const name = names.get(deviceNo);
    if (name === undefined) return [];
    const length = toUs === undefined ? 'goes on' : lengthText(toUs - fromUs);
    return [
      `<li><h3><bdi>${escaped(name)}</bdi> <span class="mute">· ${escaped(shortMoment(fromUs, zone, nowUs))}, ${length}</span></h3></li>`,
    ];
  });
  return items.length === 0
    ? ''
    : `<h2>Outages of the last 14 days</h2><ul class="notes">${items.join('')}</ul>`;
}

function plannedHtml(view: PageView): string {
  if (view.planned.length === 0) return '';
  const items = view.planned.map(
    ({ fromUs, toUs, names }) =>
      `<li><h3>${names.map((name) => `<bdi>${escaped(name)}</bdi>`).join(', ')}</h3><p class="mute">${escaped(momentText(view, fromUs))}, for ${lengthText(toUs - fromUs)}</p></li>`,
  );
  return `<h2>Planned maintenance</h2><ul class="notes">${items.join('')}</ul>`;
}

/** The names of a page's devices by their numbers. */
export function namesOf({ groups }: PageView): ReadonlyMap<number, string> {
  return new Map(groups.flatMap(({ devices }) => devices.map(({ no, name }) => [no, name])));
}

function momentText({ zone }: PageView, us: number): string {
  const text = zone.format(us);
  return `${dayText(text)}, ${text.slice(11, 16)} (${zone.name})`;
}
