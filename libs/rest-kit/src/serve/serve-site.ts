import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Context, Next } from 'koa';
import { answerDocument, type RestAnswer } from './answer.ts';
import { createDocument, type ServedDocument } from './document.ts';
import { basePath } from './route-finder.ts';

/** A file of the page. */
interface SiteFile {
  readonly type: string;
  /** The name contains a hash of the content, so browsers may cache the file without a limit. */
  readonly isImmutable: boolean;
  readonly body: ServedDocument;
}

/** The page for people: its files by their paths, and the one that shows every screen. */
export interface Site {
  readonly files: ReadonlyMap<string, SiteFile>;
  readonly index: SiteFile | undefined;
}

/** Everything comes from this server, no text becomes a script, and nothing may frame the page. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'";
const always = {
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};
const notBuilt =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Vantage</title><p>The page is not built on this host. <code>npm start</code> builds it, or <code>npm run build</code>. The REST API serves.</p></html>\n';

/**
 * Serves the page at `/`, its files, and its screens: a browser that requests HTML at a path that no other route
 * has. `taken` are the paths of the other routes outside of the API. All other requests pass on.
 */
export function createSiteServer({
  site,
  taken,
  put,
}: {
  readonly site: Site | undefined;
  readonly taken: readonly string[];
  readonly put: (context: Context, answer: RestAnswer) => void;
}): (context: Context, next: Next) => Promise<void> {
  const firstOf = (path: string) => path.split('/')[1] ?? '';
  const others = new Set([basePath, ...taken].map(firstOf));
  return async (context, next) => {
    const { path, method } = context;
    if (site === undefined || (method !== 'GET' && method !== 'HEAD')) return next();
    const file = site.files.get(path);
    if (file === undefined && !isScreen(context, others.has(firstOf(path)))) return next();
    const shown = file ?? site.index;
    if (shown === undefined) {
      const headers = { ...always, 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' };
      return put(context, { status: 404, headers, body: notBuilt });
    }
    const headers = {
      ...always,
      'Content-Type': shown.type,
      'Cache-Control': shown.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    };
    put(context, await answerDocument(context, shown.body, { headers }));
  };
}

function isScreen({ path, headers }: Context, belongsToOthers: boolean): boolean {
  if (path === '/') return true;
  if (belongsToOthers || /\.[^/]*$/.test(path)) return false;
  return /\btext\/html\b/.test(headers.accept ?? '');
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** The built page is about 200 kB; what is much greater is no page of ours. */
const maxBytes = 4 * 1024 * 1024;

/**
 * Reads the built page once; each file is compressed once for each encoding. Without the folder the site has no page.
 */
export function readSite(folder: string): Site {
  const files = new Map(
    namesIn(folder).flatMap((name) => {
      const type = types[path.extname(name)];
      if (type === undefined) return [];
      const text = readFileSync(path.join(folder, name), 'utf8');
      const file = { type, isImmutable: name.startsWith('assets/'), body: createDocument(async () => text) };
      return [[`/${name}`, { ...file, bytes: text.length }] as const];
    }),
  );
  const total = [...files.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > maxBytes)
    throw new Error(`the page in ${folder} has ${total} bytes; at most ${maxBytes} are accepted`);
  return { files, index: files.get('/index.html') };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
