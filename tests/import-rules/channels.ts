import { isTestFile, type Source } from './sources.ts';
import { parse, textsOf } from './syntax.ts';

/** Where the names of the NOTIFY channels stand. */
const bus = /^libs\/storage\/src\/bus\//;
const channelName = /\bvantage_(?:catalog|plan|run_request|answer|session|events|revoked|notifications)\b/g;

/**
 * One sentence for each source that names a NOTIFY channel or notifies by itself, and for a name that stands twice in
 * the bus.
 */
export function scatteredChannels(sources: readonly Source[]): string[] {
  const named = sources
    .filter(({ file }) => !isTestFile(file) && /^(?:apps|libs)\//.test(file))
    .flatMap((source) =>
      textsOf(parse(source)).flatMap(({ text }) => [
        ...[...text.matchAll(channelName)].map(([name]) => ({ file: source.file, name })),
        ...(/\bpg_notify\s*\(/i.test(text) ? [{ file: source.file, name: 'pg_notify' }] : []),
      ]),
    );
  const outside = named
    .filter(({ file }) => !bus.test(file))
    .map(({ file, name }) => `${file} uses ${name}, which belongs to storage/bus`);
  const inside = named
    .filter(({ file, name }) => bus.test(file) && name !== 'pg_notify')
    .map(({ name }) => name);
  const twice = inside.filter((name, at) => inside.indexOf(name) !== at);
  return [...new Set(outside), ...twice.map((name) => `storage/bus names ${name} twice`)];
}
