import { escapeHtml } from '@vantage/kernel';
import { namedInMail } from './alert-mail-group.ts';
import { answersOf, type MessageLink } from './answers.ts';
import type { DayPart, Notice } from './channel.ts';
import { subjectOf } from './mail-subject.ts';
import { acknowledgeAllOf, countsOf } from './message-group.ts';
import { lineOf } from './message-headline.ts';

const colours: Readonly<Record<DayPart, string>> = {
  Up: '#2e7d32',
  Down: '#c62828',
  Maint: '#1565c0',
  Unknown: '#9e9e9e',
};

const names: Readonly<Record<DayPart, string>> = {
  Up: 'Up',
  Down: 'Down',
  Maint: 'maintenance',
  Unknown: 'unknown',
};

const font = 'font-family:Arial,Helvetica,sans-serif;font-size:14px;line-height:20px;color:#1b1b1b';

/**
 * The message as HTML: tables and inline styles only, nothing is loaded. The day is a table of coloured cells instead
 * of an image, because mail programs that hide images show it too, and no attachment is needed.
 */
export function htmlBody(notices: readonly Notice[]): string {
  const [only, ...more] = notices;
  const content = only === undefined ? '' : more.length === 0 ? single(only) : several(notices);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light"><title>${escapeHtml(subjectOf(notices))}</title></head>
<body style="margin:0;padding:16px;background-color:#ffffff"><main><table role="presentation" cellpadding="0" cellspacing="0" style="max-width:640px;${font}">
${content}
</table></main></body></html>
`;
}

function head(text: string): string {
  return `<h1 style="margin:0;font-size:18px;line-height:24px">${escapeHtml(text)}</h1>`;
}

function single(notice: Notice): string {
  const colour = colourOf(notice.kind);
  const { headline, lines, links } = answersOf(notice);
  const facts = lines.map(
    ({ label, text }) =>
      `<tr><td style="padding:2px 16px 2px 0;color:#5f5f5f;vertical-align:top;white-space:nowrap">${escapeHtml(label)}</td><td style="padding:2px 0;word-break:break-word">${escapeHtml(text)}</td></tr>`,
  );
  return [
    `<tr><td style="border-left:4px solid ${colour};padding:4px 12px">${head(headline)}</td></tr>`,
    `<tr><td style="padding:16px 0"><table role="presentation" cellpadding="0" cellspacing="0" style="${font}">${facts.join('')}</table></td></tr>`,
    ...(links.length === 0
      ? []
      : [`<tr><td style="padding:0 0 16px">${links.map(button).join('')}</td></tr>`]),
    ...(notice.day === null ? [] : [dayRow(notice.day)]),
  ].join('\n');
}

function several(notices: readonly Notice[]): string {
  const all = acknowledgeAllOf(notices);
  const named = namedInMail(notices);
  const rows = named.map((notice) => {
    const link =
      notice.links === null
        ? ''
        : ` &middot; <a href="${escapeHtml(notice.links.acknowledge)}">Acknowledge</a>`;
    return `<tr><td style="border-left:4px solid ${colourOf(notice.kind)};padding:3px 12px">${escapeHtml(lineOf(notice))}${link}</td></tr>`;
  });
  const title = `<tr><td style="padding:4px 0 12px">${head(countsOf(notices))}</td></tr>`;
  const act =
    all === undefined
      ? []
      : [`<tr><td style="padding:0 0 12px">${button({ url: all, label: 'Acknowledge all' })}</td></tr>`];
  return [title, ...act, ...rows, ...restRow(notices.length - named.length, all)].join('\n');
}

/** As the last line of the text: the number of the notices that the mail does not name, with a link to them. */
function restRow(rest: number, all: string | undefined): readonly string[] {
  if (rest <= 0) return [];
  const page = all === undefined ? '' : `; <a href="${escapeHtml(all)}">the page names them</a>`;
  return [`<tr><td style="padding:8px 12px">and ${rest} more${page}</td></tr>`];
}

function button({ label, url }: MessageLink): string {
  return `<a href="${escapeHtml(url)}" style="display:inline-block;padding:8px 16px;margin-right:8px;border:1px solid #1565c0;border-radius:4px;color:#1565c0;text-decoration:none">${escapeHtml(label)}</a>`;
}

function dayRow(day: readonly DayPart[]): string {
  const cells = runsOf(day).map(
    ({ part, length }) =>
      `<td colspan="${length}" title="${names[part]}" bgcolor="${colours[part]}" style="background-color:${colours[part]};height:20px;font-size:1px;line-height:1px">&nbsp;</td>`,
  );
  const legend = [...new Set(day)].map(
    (part) => `<span style="color:${colours[part]}">&#9632;</span> ${names[part]}`,
  );
  const columns = day
    .map(() => `<td style="width:${(100 / day.length).toFixed(3)}%;height:0;line-height:0;font-size:0"></td>`)
    .join('');
  return `<tr><td style="padding:0 0 12px"><div style="color:#5f5f5f">The last 24 hours</div>
<table role="presentation" cellpadding="0" cellspacing="0" width="100%" style="table-layout:fixed;width:100%"><tr>${columns}</tr><tr>${cells.join('')}</tr></table>
<div style="font-size:12px;color:#5f5f5f">${legend.join(' &nbsp; ')}</div></td></tr>`;
}

/** Equal neighbours as one. */
function runsOf(day: readonly DayPart[]): readonly { part: DayPart; length: number }[] {
  const runs: { part: DayPart; length: number }[] = [];
  for (const part of day) {
    const last = runs.at(-1);
    if (last?.part === part) last.length += 1;
    else runs.push({ part, length: 1 });
  }
  return runs;
}

function colourOf(kind: string): string {
  if (/\.(?:down|offline|fenced|failing)$/.test(kind)) return colours.Down;
  if (/\.(?:up|online)$/.test(kind)) return colours.Up;
  return '#ef6c00';
}
