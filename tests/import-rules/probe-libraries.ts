import { importsOf } from './imports.ts';
import { isTestFile, type Source } from './sources.ts';

/** The imports that the files of every probe may have, besides relative files. */
const common = /^(?:node:|@vantage\/(?:domain|icmp|kernel|proto)$|zod$)/;

/** The method whose probe a file belongs to: `tcp` of methods/tcp.ts, `http` of methods/http/hop.ts. */
export function methodOfFile(file: string): string | undefined {
  return /^libs\/probes\/src\/methods\/([a-z0-9-]+)(?:\/|\.ts$)/.exec(file)?.[1];
}

/** One sentence for each library that the files of several probes import: a protocol's library belongs to its probe. */
export function sharedProbeLibraries(sources: readonly Source[]): string[] {
  const users = new Map<string, Set<string>>();
  for (const source of sources) {
    const method = methodOfFile(source.file);
    if (method === undefined || isTestFile(source.file)) continue;
    for (const { name } of importsOf(source)) {
      if (name.startsWith('.') || common.test(name)) continue;
      users.set(name, (users.get(name) ?? new Set()).add(method));
    }
  }
  return [...users]
    .filter(([, methods]) => methods.size > 1)
    .map(
      ([name, methods]) =>
        `${name} is imported by the probes ${[...methods].sort().join(' and ')}: it belongs to one`,
    );
}
