import { escapeHtml } from '@vantage/kernel';
import { linked } from '@vantage/rest-kit/form-page';

/** A mail of paragraphs as HTML: its addresses are links; nothing is loaded. Pure. */
export function mailHtml(title: string, text: string): string {
  const paragraphs = text
    .split('\n\n')
    .map(
      (paragraph) =>
        `<p style="margin:0 0 12px;white-space:pre-line;overflow-wrap:anywhere">${linked(paragraph)}</p>`,
    );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light"><title>${escapeHtml(title)}</title></head>
<body style="margin:0;padding:24px 16px;background-color:#ffffff;color:#1c1d1f;font-family:Arial,Helvetica,sans-serif;font-size:14px;line-height:20px"><main style="max-width:600px">
<h1 style="margin:0 0 12px;font-size:18px;line-height:24px;overflow-wrap:anywhere">${escapeHtml(title)}</h1>
${paragraphs.join('\n')}
</main></body></html>
`;
}
