import { count } from '@vantage/domain/report';
import { escapeHtml } from '@vantage/kernel';
import type { ReportMailContent, ReportSection } from './report-mail-content.ts';

const ink = '#1c1d1f';
const mute = '#5c5e63';
const line = 'border-bottom:1px solid #e7e6e2';
const font = `font-family:Arial,Helvetica,sans-serif;font-size:14px;line-height:20px;color:${ink}`;

/** Tables and inline styles only; nothing is loaded. */
export function htmlOf({
  title,
  sentence,
  about,
  judged,
  sums,
  sections,
  rules,
  link,
  foot,
}: ReportMailContent): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light"><title>${escapeHtml(title)}</title></head>
<body style="margin:0;padding:24px 16px;background-color:#ffffff;${font}"><main style="max-width:760px">
<h1 style="margin:0 0 4px;font-size:20px;line-height:28px">${escapeHtml(sentence)}</h1>
<p style="margin:0 0 16px;color:${mute}">${escapeHtml(about)}</p>
${sumsHtml(sums)}
${judged === '' ? '' : `<p style="margin:0 0 8px">${escapeHtml(judged)}</p>`}
${sections.map(sectionHtml).join('\n')}
<h2 style="margin:28px 0 4px;font-size:14px">How it is counted</h2>
${rules.map((rule) => `<p style="margin:0 0 6px;font-size:12px;line-height:17px;color:${mute}">${escapeHtml(rule)}</p>`).join('\n')}
<p style="margin:16px 0 0"><a href="${escapeHtml(link)}" style="color:#3152cf">The report as a page</a></p>
<p style="margin:8px 0 0;font-size:12px;color:${mute}">${escapeHtml(foot)}</p>
</main></body></html>
`;
}

/** The figures in sum, two in a row so that a phone shows them. */
function sumsHtml(sums: ReportMailContent['sums']): string {
  const rows = sums.map(
    ([name = '', value = '']) =>
      `<tr><th scope="row" style="padding:2px 24px 2px 0;text-align:left;font-weight:normal;color:${mute}">${escapeHtml(name)}</th><td style="padding:2px 0;font-weight:bold">${escapeHtml(value)}</td></tr>`,
  );
  return `<table cellpadding="0" cellspacing="0" style="margin:0 0 12px;${font}">${rows.join('')}</table>`;
}

function sectionHtml({ title, hint, columns, rows, more }: ReportSection): string {
  const [firstColumn, ...figures] = columns;
  const isText = firstColumn === 'Device' && figures[0] === 'Began';
  const align = isText ? 'left' : 'right';
  const head = columns.map(
    (name, at) =>
      `<th scope="col" style="padding:4px 12px 4px 0;text-align:${at === 0 ? 'left' : align};font-size:12px;color:${mute};${line}">${escapeHtml(name)}</th>`,
  );
  const body = rows.map(([first = '', ...cells]) => {
    const others = cells.map(
      (cell) =>
        `<td style="padding:4px 12px 4px 0;text-align:${align};vertical-align:top;${line}">${escapeHtml(cell)}</td>`,
    );
    return `<tr><th scope="row" style="padding:4px 12px 4px 0;text-align:left;vertical-align:top;font-weight:normal;min-width:110px;word-break:break-word;${line}">${escapeHtml(first)}</th>${others.join('')}</tr>`;
  });
  return `<h2 style="margin:28px 0 4px;font-size:14px">${escapeHtml(title)}</h2>
${hint === undefined ? '' : `<p style="margin:0 0 6px;color:${mute}">${escapeHtml(hint)}</p>`}
<div role="region" aria-label="${escapeHtml(title)}" tabindex="0" style="overflow-x:auto"><table cellpadding="0" cellspacing="0" width="100%" style="${font}"><thead><tr>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div>
${more > 0 ? `<p style="margin:6px 0 0;color:${mute}">and ${count(more)} more</p>` : ''}`;
}
