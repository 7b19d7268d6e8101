import { createHash } from 'node:crypto';
import { escapeHtml } from '@vantage/kernel';

/** The content of a page for people. */
export interface FormPage {
  readonly title: string;
  readonly lines: readonly string[];
  /** The fields and the button of its form, as HTML; null: there is nothing to do. */
  readonly fields: string | null;
  /** The links at the end of the page. */
  readonly links?: readonly { readonly to: string; readonly words: string }[];
}

const style = `body{font:16px/1.5 Arial,Helvetica,sans-serif;max-width:36rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}
h1{font-size:1.3rem}dt,p{overflow-wrap:anywhere}label{display:block;margin:1rem 0 .25rem}
input,select,button{font:inherit;padding:.5rem;box-sizing:border-box}input{width:100%}
button{margin-top:1rem;background:#1565c0;color:#fff;border:0;border-radius:4px;padding:.6rem 1.2rem}
@media (prefers-color-scheme:dark){body{background:#181818;color:#eee}a{color:#8ab4f8}}`;

/** The page loads nothing, runs no script, cannot be framed, and sends its form to this server only. */
export const formPageHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
  // The address of the page permits what the page does.
  'Referrer-Policy': 'no-referrer',
};

/** The page as HTML: works without scripts. */
export function formPage({ title, lines, fields, links = [] }: FormPage): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>
${lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n')}
${fields === null ? '' : `<form method="post">${fields}</form>`}${links.map(({ to, words }) => `<p><a href="${escapeHtml(to)}">${escapeHtml(words)}</a></p>`).join('\n')}
</main></body></html>
`;
}

/** A text as HTML in which addresses are links. Pure. */
export function linked(text: string): string {
  const parts = text.split(/(https:\/\/[^\s<>"']*[^\s<>"'.,;:!?)])/);
  return parts
    .map((part, at) =>
      at % 2 === 0
        ? escapeHtml(part)
        : `<a href="${escapeHtml(part)}" rel="nofollow noopener">${escapeHtml(part)}</a>`,
    )
    .join('');
}
