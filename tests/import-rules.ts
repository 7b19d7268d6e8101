import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { methods } from '@vantage/domain';

/** A source file with its path from the repository's root. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

const maxLines = 300;
const appOf = /^apps\/([^/]+)\//;
const libOf = /^libs\/([^/]+)\//;
/** Folders of the controller that are no steps: everybody may use them, and they use no step. */
const shared = new Set(['config', 'db', 'http', 'secrets', 'server', 'testing']);
/** What `api/` takes of the steps: their routes and what their index offers. */
const routesOfSteps = /\/(?:[a-z-]+-)?routes\.ts$|\/index\.ts$/;
/** What each library may use of the others. */
const libraries: Readonly<Record<string, readonly string[]>> = {
  proto: [],
  kernel: [],
  domain: [],
  icmp: ['proto', 'kernel', 'domain'],
  probes: ['proto', 'kernel', 'domain', 'icmp'],
  health: ['proto', 'kernel', 'domain'],
};
/** What a probe's files may import of their package, besides their own folder. */
const besideProbe = /^libs\/probes\/src\/(?:contract|dialogue|net|redact|search)\//;
const probeFiles = methods.map((method) => method.toLowerCase());

/** Every TypeScript source of the workspace (generated code aside). */
export function readSources(root: string): Source[] {
  return ['libs', 'apps', 'tests'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
      .filter((file) => !/node_modules\/|\/gen\/|(^|\/)dist\//.test(file))
      .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') })),
  );
}

/** The modules that a source names in import and export declarations and in `import()`. */
export function importsOf(text: string): string[] {
  const declared = text.matchAll(/^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm);
  const bare = text.matchAll(/^\s*import\s*['"]([^'"]+)['"]/gm);
  const dynamic = text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g);
  return [...declared, ...bare, ...dynamic].flatMap((match) => match[1] ?? []);
}

/** One sentence for each rule of the house that a source breaks. */
export function broken({ file, text }: Source): string[] {
  const isTest = file.endsWith('.test.ts') || /\/testing\//.test(file) || file.startsWith('tests/');
  const problems: string[] = [];
  const lines = text.split('\n').length - 1;
  if (lines > maxLines) problems.push(`${file} has ${lines} lines, ${maxLines} is the most`);
  if (new RegExp(`\\b(${['TO', 'DO'].join('')}|${['FIX', 'ME'].join('')})\\b`).test(text))
    problems.push(`${file} puts work off`);
  if (/^\s*export \* /m.test(text)) problems.push(`${file} exports everything`);
  if (new RegExp(`\\.(${['skip', 'run'].join('If|')}If)\\(`).test(text))
    problems.push(`${file} skips without a reason: skip(condition, 'why') of the test's context`);
  if (file !== 'tests/harness/retry.ts') problems.push(...wrongRetries({ file, text }));
  if (/(^|\/)(utils?|helpers?|common|manager)\.ts$/.test(file))
    problems.push(`${file} has a name that says nothing`);
  for (const name of importsOf(text)) {
    const target = name.startsWith('.') ? path.posix.join(path.posix.dirname(file), name) : name;
    const reason = refuse({ file, isTest, name, target });
    if (reason !== undefined) problems.push(`${file} imports ${name}: ${reason}`);
  }
  return problems;
}

/** Tests that look for what happens rarely: what they find once is a finding. */
const neverAgain = /property|ledger|leak|sentinel/;

function wrongRetries({ file, text }: Source): string[] {
  if (!file.endsWith('.test.ts') && !/^vitest[^/]*\.ts$/.test(file)) return [];
  if (/[{,] retry: \d|^\s+retry: \d+,? \S/m.test(text))
    return [`${file} tries a test again without a reason: retryBecause('why')`];
  const isNever = neverAgain.test(file) || importsOf(text).includes('fast-check');
  return isNever && text.includes('retryBecause(')
    ? [`${file} tries a property, ledger, leak or sentinel test again: what it found once is a finding`]
    : [];
}

interface Import {
  readonly file: string;
  readonly isTest: boolean;
  readonly name: string;
  /** The imported file from the root for relative ones, else the name. */
  readonly target: string;
}

function refuse(one: Import): string | undefined {
  return (
    acrossWorkspaces(one) ??
    (one.isTest ? undefined : (betweenSteps(one) ?? libraryPlaces(one) ?? probeRule(one)))
  );
}

function acrossWorkspaces({ file, isTest, name, target }: Import): string | undefined {
  const lib = libOf.exec(file)?.[1];
  const app = appOf.exec(file)?.[1];
  const toApp = appOf.exec(target)?.[1] ?? /^@vantage\/(agent|controller|cli|dashboard)\b/.exec(name)?.[1];
  const toLib =
    libOf.exec(target)?.[1] ?? /^@vantage\/(proto|kernel|domain|icmp|probes|health)\b/.exec(name)?.[1];
  if (
    name.startsWith('.') &&
    (lib ?? app) !== undefined &&
    (toApp ?? toLib) !== undefined &&
    (toApp ?? toLib) !== (lib ?? app)
  )
    return 'another workspace is imported by its package name';
  if (target.startsWith('tests/') && !isTest) return 'only tests use the harness';
  if (lib !== undefined && toApp !== undefined) return 'a library never imports an app';
  if (app !== undefined && toApp !== undefined && toApp !== app) return 'apps never import each other';
  if (
    lib !== undefined &&
    toLib !== undefined &&
    toLib !== lib &&
    !isTest &&
    !(libraries[lib] ?? []).includes(toLib)
  )
    return `libs/${lib} does not build on libs/${toLib}`;
  return undefined;
}

function betweenSteps({ file, target }: Import): string | undefined {
  const from = /^apps\/controller\/src\/([^/]+)\//.exec(file)?.[1];
  const to = /^apps\/controller\/src\/([^/]+)\//.exec(target)?.[1];
  if (from === undefined || to === undefined || from === to || shared.has(to)) return undefined;
  if (from === 'api' && routesOfSteps.test(target)) return undefined;
  return 'a step never imports a sibling step, main.ts joins them';
}

/** Libraries that belong to certain places. */
const places: readonly { readonly library: RegExp; readonly place: RegExp; readonly words: string }[] = [
  {
    library: /^@mikro-orm\//,
    place: /^apps\/controller\/src\/(db\/|(.*\/)?(schema|store|[a-z-]+-store)\.ts$)/,
    words: 'the ORM is used in db/, schema.ts and store.ts only',
  },
  {
    library: /^(koa|@koa\/.*)$/,
    place: /^apps\/controller\/src\/(http\/|api\/|(.*\/)?routes\.ts$)/,
    words: 'Koa is used in http/, api/ and routes.ts only',
  },
  {
    library: /^@connectrpc\//,
    place: /^apps\/(controller\/src\/(gateway|enrol)\/|agent\/src\/stream\/)/,
    words: "Connect is used in gateway/, enrol/ and the agent's stream/ only",
  },
];

function libraryPlaces({ file, name }: Import): string | undefined {
  return places.find(({ library, place }) => library.test(name) && !place.test(file))?.words;
}

/** The method whose probe a file belongs to: methods/tcp.ts, methods/http/hop.ts. */
function methodOfFile(file: string): string | undefined {
  const name = /^libs\/probes\/src\/methods\/([a-z0-9]+)(?:\/|\.ts$)/.exec(file)?.[1];
  return name !== undefined && probeFiles.includes(name) ? name : undefined;
}

function probeRule({ file, name, target }: Import): string | undefined {
  const method = methodOfFile(file);
  if (method === undefined || !name.startsWith('.')) return undefined;
  const other = methodOfFile(target);
  if (other === method) return undefined;
  if (other !== undefined) return 'a probe never imports another probe';
  return besideProbe.test(target) ? undefined : 'not a neighbour of a probe';
}
