import path from 'node:path';
import { stepOf } from './controller-steps.ts';
import { importsOf } from './imports.ts';
import { methodOfFile } from './probe-libraries.ts';
import { isTestFile, type Source } from './sources.ts';

const appOf = /^apps\/([^/]+)\//;
const libOf = /^libs\/([^/]+)\//;
/** Files next to `main.ts`: only the composition roots. */
const looseFile =
  /^apps\/(?:controller\/src\/(?!(?:main|admin)\.ts$)|agent\/src\/(?!(?:main|agent)\.ts$))[^/]+\.ts$/;
/** Folders of the controller that are no steps: every step may use them, and they use no step. */
const shared = new Set(['config', 'server', 'testing']);
/** The nouns of the REST API, which refer to one another. `reading` shows what the others store, so none imports it. */
const nouns = new Set(['resources', 'catalog', 'access']);
/** Steps that are parts of another step, which calls them. */
const partsOf: Readonly<Record<string, readonly string[]>> = { deliver: ['channels'], ingest: ['packing'] };
/** The folder that joins the steps, as `main.ts` does. It is the composition of each role, and no step imports it. */
const composition = 'roles';
/** The imports of `api/` from the steps, besides nouns: their routes. */
const routesOfSteps = /\/(?:[a-z-]+-)?routes\.ts$/;
/** The libraries that each library may use. */
const libraries: Readonly<Record<string, readonly string[]>> = {
  proto: [],
  kernel: [],
  domain: [],
  icmp: ['proto', 'kernel', 'domain'],
  probes: ['kernel', 'proto', 'domain', 'icmp'],
  health: ['proto', 'kernel', 'domain'],
  alerts: ['kernel', 'domain', 'health'],
  client: [],
  storage: ['kernel', 'domain', 'alerts'],
  'storage-ops': ['kernel', 'domain', 'storage'],
  'rest-kit': ['kernel', 'domain', 'storage'],
  testing: ['kernel', 'domain', 'storage'],
  imports: ['kernel', 'domain', 'probes'],
};
/** The folders from which a probe's files may import, apart from their own. */
const besideProbe = /^libs\/probes\/src\/(?:contract|dialogue|net|redact|search)\//;

/** One sentence for each import of a source that the layout forbids, and for a file in a wrong folder. */
export function misplaced(source: Source): string[] {
  const { file } = source;
  const isTest = isTestFile(file);
  const problems = importsOf(source).flatMap(({ name, isErased }) => {
    const target = name.startsWith('.') ? path.posix.join(path.posix.dirname(file), name) : name;
    const reason = refuse({ file, isTest, name, target, isErased });
    return reason === undefined ? [] : [`${file} imports ${name}: ${reason}`];
  });
  return looseFile.test(file) && !isTest ? [`${file} is next to main.ts`, ...problems] : problems;
}

interface Import {
  readonly file: string;
  readonly isTest: boolean;
  readonly name: string;
  /** The imported file from the root for relative ones, else the name. */
  readonly target: string;
  /** It imports types only, so nothing of the target is loaded. */
  readonly isErased: boolean;
}

function refuse(found: Import): string | undefined {
  return (
    acrossWorkspaces(found) ??
    (found.isTest ? undefined : (betweenSteps(found) ?? libraryFolders(found) ?? probeRule(found)))
  );
}

function acrossWorkspaces({ file, isTest, name, target }: Import): string | undefined {
  const lib = libOf.exec(file)?.[1];
  const app = appOf.exec(file)?.[1];
  const toApp = appOf.exec(target)?.[1] ?? /^@vantage\/(agent|controller|cli|dashboard)\b/.exec(name)?.[1];
  const toLib =
    libOf.exec(target)?.[1] ??
    /^@vantage\/(proto|kernel|domain|icmp|probes|health|alerts|client|imports|storage-ops|storage|rest-kit|testing)\b/.exec(
      name,
    )?.[1];
  if (
    name.startsWith('.') &&
    (lib ?? app) !== undefined &&
    (toApp ?? toLib) !== undefined &&
    (toApp ?? toLib) !== (lib ?? app)
  )
    return 'another workspace is imported by its package name';
  if ((target.startsWith('tests/') || toLib === 'testing') && !isTest) return 'only tests use the harness';
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

/** Types may be shared: one step declares a contract, the one that needs it or offers it. */
function betweenSteps({ file, target, isErased }: Import): string | undefined {
  const [from, to] = [stepOf(file), stepOf(target)];
  if (from === undefined || to === undefined || from === to || shared.has(to)) return undefined;
  if (partsOf[from]?.includes(to)) return undefined;
  if (nouns.has(to) && (nouns.has(from) || from === 'reading')) return undefined;
  if (isErased && !shared.has(from) && to !== composition) return undefined;
  if (from === composition) return undefined;
  if (from === 'api' && (routesOfSteps.test(target) || nouns.has(to))) return undefined;
  return 'a step never imports a sibling step, roles/ joins them';
}

/** Libraries that only some folders use. */
const restricted: readonly { readonly library: RegExp; readonly users: RegExp; readonly words: string }[] = [
  {
    library: /^@mikro-orm\//,
    users: /^(libs\/storage\/|apps\/controller\/src\/(.*\/)?[a-z-]+-store\.ts$)/,
    words: 'the ORM is used in libs/storage and stores only',
  },
  {
    library: /^(koa|@koa\/.*)$/,
    users: /^(libs\/rest-kit\/|apps\/controller\/src\/(api\/|(.*\/)?[a-z-]+-routes\.ts$))/,
    words: 'Koa is used in libs/rest-kit, api/ and routes only',
  },
  {
    library: /^@connectrpc\//,
    users: /^apps\/(controller\/src\/agents\/(gateway|enrol)\/|agent\/src\/stream\/)/,
    words: "Connect is used in gateway/, enrol/ and the agent's stream/ only",
  },
];

function libraryFolders({ file, name }: Import): string | undefined {
  return restricted.find(({ library, users }) => library.test(name) && !users.test(file))?.words;
}

function probeRule({ file, name, target }: Import): string | undefined {
  const method = methodOfFile(file);
  if (method === undefined || !name.startsWith('.')) return undefined;
  const other = methodOfFile(target);
  if (other === method) return undefined;
  if (other !== undefined) return 'a probe never imports another probe';
  return besideProbe.test(target) ? undefined : 'not a neighbour of a probe';
}
