import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createDocument } from '../http/document.ts';
import type { Site } from '../http/serve-site.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** The built page is about 200 kB; what is much greater is no page of ours. */
const mostBytes = 4 * 1024 * 1024;

/** The folder into which `npm run build` writes the page. */
export const builtPage = path.resolve(import.meta.dirname, '../../../../dashboard/dist');

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
  if (total > mostBytes)
    throw new Error(`the page in ${folder} has ${total} bytes, ${mostBytes} is the most`);
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
