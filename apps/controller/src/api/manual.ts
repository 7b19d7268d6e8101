import { readFile } from 'node:fs/promises';
import { escapeHtml } from '@vantage/kernel';
import { createDocument } from '@vantage/rest-kit/document';
import type { OuterRoute } from '@vantage/rest-kit/outer-routes';
import { Marked, type Tokens } from 'marked';

const folder = new URL('../../../../docs/', import.meta.url);
/** Pages outside the folder. */
const files: Readonly<Record<string, string>> = {
  changelog: '../CHANGELOG.md',
  messages: 'gen/messages.md',
};

/**
 * The documents that people read who use or run an installation, in the order of the index: files of `docs` without
 * `.md`, and the list of changes.
 */
export const manualPages = [
  'first-alarm',
  'methods',
  'http',
  'snmp',
  'heartbeats',
  'rest',
  'alerts',
  'contacts',
  'messages',
  'result-codes',
  'phases',
  'glossary',
  'install-agent',
  'agent-behind-a-firewall',
  'agent',
  'commands',
  'as-code',
  'coming-over',
  'metrics',
  'operate',
  'behind-a-proxy',
  'settings',
  'troubleshooting',
  'scaling',
  'secrets',
  'security',
  'data-flow',
  'clocks',
  'changelog',
] as const;

/** Nothing runs on these pages, and nothing is loaded from elsewhere. */
const policy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const headers = {
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'public, max-age=3600',
};

const style = `:root { color-scheme: light dark; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 56rem; margin: 0 auto; padding: 1rem 1rem 4rem; }
nav { margin: 0 0 1.5rem; }
h1 { line-height: 1.2; }
h2 { margin-top: 2.5rem; }
pre, code { font: 0.9em/1.5 ui-monospace, monospace; }
pre { padding: 0.75rem; overflow-x: auto; border: 1px solid #8885; border-radius: 6px; }
p, li, td { overflow-wrap: anywhere; }
.table { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: 0.35rem 0.6rem; border: 1px solid #8886; text-align: left; vertical-align: top; }
`;

/**
 * The manual: `/docs` lists the documents, `/docs/NAME` shows one as HTML, made of the file in `docs` when it is first
 * asked for.
 */
export function manualRoutes(): readonly OuterRoute[] {
  return [
    reply('/docs', 'text/html; charset=utf-8', index),
    reply('/docs/manual.css', 'text/css; charset=utf-8', async () => style),
    reply('/docs/vantage-apply.schema.json', 'application/schema+json', () =>
      readFile(new URL('gen/vantage-apply.schema.json', folder), 'utf8'),
    ),
    ...manualPages.map((name) => reply(`/docs/${name}`, 'text/html; charset=utf-8', () => show(name))),
  ];
}

function reply(path: string, type: string, read: () => Promise<string>): OuterRoute {
  const body = createDocument(read);
  return {
    path,
    needsKey: false,
    isBounded: true,
    run: async () => ({ status: 200, type, headers, body }),
  };
}

async function readPage(name: string): Promise<{ readonly title: string; readonly text: string }> {
  const text = await readFile(new URL(files[name] ?? `${name}.md`, folder), 'utf8');
  return { title: /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? name, text };
}

async function index(): Promise<string> {
  const all = await Promise.all(manualPages.map(async (name) => ({ name, ...(await readPage(name)) })));
  const list = all.map(({ name, title }) => `<li><a href="docs/${name}">${escapeHtml(title)}</a></li>`);
  const body = `<h1>Documents</h1>
<ul><li><a href="docs/api">Reference of the REST API</a> (<a href="v1.1/openapi.json">openapi.json</a>)</li>
${list.join('\n')}</ul>`;
  return page('Documents', 'docs/', body);
}

async function show(name: string): Promise<string> {
  const { title, text } = await readPage(name);
  const nav = '<nav><a href="../docs">All documents</a></nav>';
  return page(title, '', nav + (await createMarked().parse(text)));
}

function page(title: string, root: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – Vantage</title><link rel="stylesheet" href="${root}manual.css"></head>
<body><main>${body}</main></body></html>
`;
}

/**
 * Markdown as HTML: headings have ids, links to documents that are not served here are words, and HTML in a document is
 * text.
 */
function createMarked(): Marked {
  const taken = new Map<string, number>();
  return new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        return `<h${depth} id="${uniqueId(text, taken)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const words = this.parser.parseInline(tokens);
        const address = addressOf(href);
        return address === undefined ? words : `<a href="${escapeHtml(address)}">${words}</a>`;
      },
      image: ({ text }: Tokens.Image) => escapeHtml(text),
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
      table(token: Tokens.Table) {
        const cell = (tag: 'td' | 'th') => (cellTokens: Tokens.TableCell) =>
          `<${tag}>${this.parser.parseInline(cellTokens.tokens)}</${tag}>`;
        const rows = token.rows.map((row) => `<tr>${row.map(cell('td')).join('')}</tr>`);
        return `<div class="table" tabindex="0"><table><thead><tr>${token.header.map(cell('th')).join('')}</tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>\n`;
      },
    },
  });
}

/** The id that GitHub gives a heading, so links work there and here. */
function uniqueId(text: string, taken: Map<string, number>): string {
  const id = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
  const times = taken.get(id) ?? 0;
  taken.set(id, times + 1);
  return escapeHtml(times === 0 ? id : `${id}-${times}`);
}

/** The address of a link of a document; undefined: the page does not exist here. */
function addressOf(href: string): string | undefined {
  if (/^https?:\/\//.test(href) || href.startsWith('#')) return href;
  const [, name = '', anchor = ''] = /^(?:docs\/|gen\/|\.\.\/)?([a-z-]+)\.md(#.*)?$/.exec(href) ?? [];
  return manualPages.some((each) => each === name) ? `${name}${anchor}` : undefined;
}
