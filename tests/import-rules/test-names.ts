import type { Source } from './sources.ts';

const unitTest = /^(?!apps\/[^/]+\/tests\/)(?:libs|apps|agent-installer)\/.*(?=\.test\.ts$)/;
/** The extensions of sources that have tests: code, shell scripts with and without an extension, and styles. */
const extensions = ['.ts', '.tsx', '.mjs', '.sh', '.css', ''];
/** Says how a test works or in which tier it runs, not its subject. */
const kind = /\.(?:property|system)$/;

/**
 * The unit tests whose folder has no source of their name: `x.test.ts` and `x.property.test.ts` need `x.ts`. `exists`
 * says whether the repository has a file. Tests of several sources are in `apps/…/tests`.
 */
export function testsWithoutSource(sources: readonly Source[], exists: (file: string) => boolean): string[] {
  return sources.flatMap(({ file }) => {
    const subject = unitTest.exec(file)?.[0].replace(kind, '');
    return subject === undefined || extensions.some((extension) => exists(`${subject}${extension}`))
      ? []
      : [file];
  });
}
