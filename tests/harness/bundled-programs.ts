import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const root = path.resolve(import.meta.dirname, '../..');

/** The programs that tests start often. */
const programs = [
  'apps/agent/src/config/validate-settings.ts',
  'apps/agent/src/main.ts',
  'apps/cli/src/main.ts',
  'apps/controller/src/admin.ts',
  'apps/controller/src/admin/backup-program.ts',
  'apps/controller/src/admin/copy-program.ts',
  'apps/controller/src/main.ts',
  'apps/controller/src/platform/config/validate-settings.ts',
];

/** Optional native packages. */
const outside = [/\.node$/, 'cpu-features', 'raw-socket'];

/** A module finds its files and sibling programs where its source stands, not where the bundle does. */
const places: Plugin = {
  name: 'places',
  transform: {
    filter: { code: /\bimport\.meta\b|\b__dirname\b|\b__filename\b/ },
    handler(code, file) {
      if (!path.isAbsolute(file)) return undefined;
      const [folder, name, url] = [path.dirname(file), file, pathToFileURL(file).href].map((each) =>
        JSON.stringify(each),
      );
      if (/\bimport\.meta\b/.test(code))
        return `import { createRequire as requireAt } from 'node:module';
import { pathToFileURL as urlAt } from 'node:url';
const metaHere = { dirname: ${folder}, filename: ${name}, url: ${url},
  resolve: (name) => urlAt(requireAt(${name}).resolve(name)).href };
${code.replaceAll(/\bimport\.meta\b/g, 'metaHere')}`;
      return file.includes('/node_modules/')
        ? code.replaceAll(/\b__dirname\b/g, () => `${folder}`).replaceAll(/\b__filename\b/g, () => `${name}`)
        : undefined;
    },
  },
};

/** A day without a use, milliseconds. */
const unusedMs = 86_400_000;

/**
 * Bundles the programs into a folder below `node_modules`, and returns the NODE_OPTIONS with which Node runs the bundle
 * where it is told to run the source. To load 1,500 modules takes 0.75 of the 1.8 s of processor time of a controller's
 * start. Files of earlier runs that no run used for a day are removed.
 */
export async function bundlePrograms(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const nameOf = (program: string) => program.replace(/\.ts$/, '').replaceAll('/', '-');
  const built = await rolldown({
    input: Object.fromEntries(programs.map((program) => [nameOf(program), path.join(root, program)])),
    cwd: root,
    platform: 'node',
    external: outside,
    plugins: [places],
    logLevel: 'silent',
  });
  const { output } = await built.generate({
    format: 'esm',
    entryFileNames: '[name]-[hash].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    comments: { legal: false, annotation: false, jsdoc: false },
  });
  await built.close();
  const bundles: Record<string, string> = {};
  for (const chunk of output) {
    if (chunk.type !== 'chunk') continue;
    const file = keep(folder, chunk.fileName, chunk.code);
    const program = programs.find((each) => nameOf(each) === chunk.name);
    if (chunk.isEntry && program !== undefined) bundles[path.join(root, program)] = pathToFileURL(file).href;
  }
  const hook = hookOf(bundles);
  const digest = createHash('sha256').update(hook).digest('hex').slice(0, 16);
  const file = keep(folder, `hook-${digest}.cjs`, hook);
  removeOld(folder, unusedMs);
  return `--require=${JSON.stringify(file)}`; // a path may have spaces
}

/** The CommonJS file that Node runs before each program. It changes nothing for programs without a bundle. */
function hookOf(bundles: Readonly<Record<string, string>>): string {
  return `const { registerHooks } = require('node:module');
const { pathToFileURL } = require('node:url');
const [, program] = process.argv;
const bundle = ${JSON.stringify(bundles)}[program];
if (bundle !== undefined && registerHooks !== undefined) {
  const hooks = registerHooks({
    load(url, context, next) {
      if (url !== pathToFileURL(program).href) return next(url, context);
      hooks.deregister();
      return { format: 'module', source: \`import '\${bundle}';\`, shortCircuit: true };
    },
  });
}
`;
}

/** Writes a file whose name says its content; one that is there is used again. Another run may write it meanwhile. */
function keep(folder: string, name: string, content: string): string {
  const file = path.join(folder, name);
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    const part = `${file}.${process.pid}`;
    writeFileSync(part, content);
    renameSync(part, file);
  }
  return file;
}

/** Removes the files in and below a folder that nobody wrote for so long (milliseconds). */
export function removeOld(folder: string, ms: number): void {
  const before = Date.now() - ms;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? before) < before)
      rmSync(file, { force: true });
  }
}
