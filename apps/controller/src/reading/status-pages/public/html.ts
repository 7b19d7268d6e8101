import { hash } from 'node:crypto';
import { escapeHtml } from '@vantage/kernel';
import { linked } from '@vantage/rest-kit/form-page';
import { type Logo, logoOf } from '../logo.ts';
import { accentOf } from '../status-page-store.ts';
import {
  allServicesHtml,
  dayListHtml,
  groupHtml,
  icon,
  incidentsHtml,
  momentText,
  notesHtml,
  plannedHtml,
} from './page-parts.ts';
import type { PageView, ReadPage } from './page-view.ts';
import { headlineOf, shortMoment } from './status-page-texts.ts';
import { accentStyle, style } from './style.ts';

/** The page loads nothing, runs no script, cannot be framed, and sends its forms to this server only. */
export const statusHeaders = headersOf(style, "default-src 'none'");

/** The headers of a page with its own style, and with a logo from this server. Pure. */
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

/** A status page as HTML: it works without scripts, and has a link to reload it. Pure. */
export function statusHtml(
  view: PageView,
  { isOld, canSubscribe }: { readonly isOld: boolean; readonly canSubscribe: boolean },
): string {
  const { page, groups, zone, nowUs } = view;
  const headline = headlineOf(view);
  const age = isOld
    ? `<p>The monitoring does not answer. This is how it was at ${shortMoment(nowUs, zone, nowUs)}; it says nothing about the services now.</p>`
    : '';
  const body = `<p class="brand">${logoHtml(page)}<b><bdi>${escapeHtml(page.name)}</bdi></b> <span class="mute">· status of our services</span></p>
<div class="state ${isOld ? 'old' : headline.status}">${icon(headline.status)}<div><h1>${escapeHtml(headline.sentence)}</h1>${
    headline.line === '' ? '' : `<p class="mute">${escapeHtml(headline.line)}</p>`
  }${age}</div></div>
${allServicesHtml(view)}${groups.map((group) => groupHtml(view, group)).join('')}${view.left > 0 ? `<p class="mute">${view.left} more services are not shown.</p>` : ''}
<p class="axis"><span>90 days ago</span><span>percentages are of the time observed outside maintenance</span><span>today</span></p>
<p class="legend"><span>${icon('Up')}Up</span><span>${icon('Down')}Down, taller is longer</span><span>${icon('Maint')}Maintenance</span><span>${icon('Unknown')}Unknown: not observed for an hour or more</span>${hasEmptyDays(view) ? '<span>Thin line: not observed</span>' : ''}</p>
${dayListHtml(view)}${notesHtml(view)}${incidentsHtml(view)}${plannedHtml(view)}${canSubscribe ? subscribeHtml(page.path) : ''}${page.footer === null ? '' : `<p class="own text">${linked(page.footer)}</p>`}
<p class="foot">As of ${escapeHtml(momentText(view, nowUs))}. All times are in this zone. · <a href="/status/${page.path}">Refresh</a> · <a href="/status/${page.path}.atom">Feed</a> · <a href="/status/${page.path}.json">JSON</a></p>`;
  return frame(`${headline.sentence} · ${page.name}`, body, { path: page.path, css: styleOf(page) });
}

function hasEmptyDays({ groups, history }: PageView): boolean {
  return groups
    .flatMap(({ devices }) => devices)
    .some(({ no }) => history.days.get(no)?.some(({ status }) => status === undefined) === true);
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
    `<h1><bdi>${escapeHtml(name)}</bdi></h1><form method="post">${fault === undefined ? '' : `<p role="alert">${escapeHtml(fault)}</p>`}
<label for="password">Password</label><input id="password" name="Password" type="password" autocomplete="current-password" maxlength="200" required autofocus><button>Show the page</button></form>`,
    {},
  );
}

/** A page with one sentence and a button that does what it says. Pure. */
export function buttonHtml(title: string, text: string, button: string): string {
  return frame(
    title,
    `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p><form method="post"><button>${escapeHtml(button)}</button></form>`,
    {},
  );
}

function subscribeHtml(path: string): string {
  return `<h2>By e-mail</h2><form method="post" action="/status/${path}/subscribe"><label for="email">Get a mail when a service goes down or comes back, and for each note</label><input id="email" name="Email" type="email" autocomplete="email" maxlength="254" required><button>Subscribe</button></form>`;
}

/** A page with one sentence. Pure. */
export function sentenceHtml(title: string, text: string): string {
  return frame(title, `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>`, {});
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
<title>${escapeHtml(title)}</title>${feed}<style>${css}</style></head>
<body><main>${body}</main></body></html>
`;
}
