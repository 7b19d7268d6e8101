import type { Source } from './sources.ts';
import { nodeOf, parse, stringOf, walk } from './syntax.ts';

/** One import of a source. */
export interface ImportedModule {
  readonly name: string;
  /** `import type`, `export type` and types like `import('x').T`: Node erases them, so they load nothing. */
  readonly isErased: boolean;
}

/** The modules that a source imports: declarations, re-exports, `import()` and types of modules, also erased ones. */
export function importsOf(source: Source): ImportedModule[] {
  const found: ImportedModule[] = [];
  walk(parse(source), (node) => {
    const name = stringOf(node['source']);
    if (name === undefined || nodeOf(node['source']) === undefined) return;
    const kind = node['importKind'] ?? node['exportKind'];
    found.push({ name, isErased: kind === 'type' || node.type === 'TSImportType' });
  });
  return found;
}
