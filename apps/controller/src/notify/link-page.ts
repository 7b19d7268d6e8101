import { createHash } from 'node:crypto';
import type { LinkAction } from './link-places.ts';

/** An action that a page has a button for. */
type FormAction = Exclude<LinkAction, 'details'>;

/** What a page says. */
export interface LinkPage {
  readonly title: string;
  /** The message that the link came with, line by line. */
  readonly lines: readonly string[];
  /** The form of the page; null: there is nothing to do. */
  readonly action: FormAction | null;
}

/** How long an alert can be snoozed, in minutes. */
export const snoozeMinutes = [30, 60, 240, 480, 1_440] as const;
/** The longest note. */
export const longestNote = 500;

const style = `body{font:16px/1.5 Arial,Helvetica,sans-serif;max-width:36rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}
h1{font-size:1.3rem}dt,p{overflow-wrap:anywhere}label{display:block;margin:1rem 0 .25rem}
input,select,button{font:inherit;padding:.5rem;box-sizing:border-box}input{width:100%}
button{margin-top:1rem;background:#1565c0;color:#fff;border:0;border-radius:4px;padding:.6rem 1.2rem}
@media (prefers-color-scheme:dark){body{background:#181818;color:#eee}}`;

/** Nothing is loaded, no script runs, nobody may frame the page, and the form goes to this server only. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
  // The address of the page permits what the page does.
  'Referrer-Policy': 'no-referrer',
};

/** The page as HTML: works without scripts, and has one button at most. */
export function showPage({ title, lines, action }: LinkPage): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title><style>${style}</style></head>
<body><main><h1>${escaped(title)}</h1>
${lines.map((line) => `<p>${escaped(line)}</p>`).join('\n')}
${action === null ? '' : `<form method="post">${fieldOf(action)}</form>`}
</main></body></html>
`;
}

function fieldOf(action: FormAction): string {
  if (action !== 'snooze')
    return `<label for="note">Note (optional)</label><input id="note" name="Note" maxlength="${longestNote}" autocomplete="off"><button>${action === 'acknowledge' ? 'Acknowledge' : 'Acknowledge all'}</button>`;
  const options = snoozeMinutes.map((minutes) => {
    const words = minutes < 60 ? `${minutes} minutes` : minutes === 60 ? '1 hour' : `${minutes / 60} hours`;
    return `<option value="${minutes}"${minutes === 60 ? ' selected' : ''}>${words}</option>`;
  });
  return `<label for="minutes">For</label><select id="minutes" name="Minutes">${options.join('')}</select><br><button>Snooze</button>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
