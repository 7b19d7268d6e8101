import { escaped, linked } from '../../../rest/http/form-page.ts';

/** A mail of paragraphs as HTML: its addresses are links; nothing is loaded. Pure. */
export function mailHtml(title: string, text: string): string {
  const paragraphs = text
    .split('\n\n')
    .map(
      (each) => `<p style="margin:0 0 12px;white-space:pre-line;overflow-wrap:anywhere">${linked(each)}</p>`,
    );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light"><title>${escaped(title)}</title></head>
<body style="margin:0;padding:24px 16px;background-color:#ffffff;color:#1c1d1f;font-family:Arial,Helvetica,sans-serif;font-size:14px;line-height:20px"><main style="max-width:600px">
<h1 style="margin:0 0 12px;font-size:18px;line-height:24px;overflow-wrap:anywhere">${escaped(title)}</h1>
${paragraphs.join('\n')}
</main></body></html>
`;
}
