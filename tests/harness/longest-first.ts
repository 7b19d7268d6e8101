import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * A sequencer that begins with the files that last longest, so that no worker is alone at the end. Vitest knows the
 * durations of the last run, but a fresh clone has none. `names` are file names without `.test.ts`, longest first; the
 * other files follow in the usual order.
 */
export function longestFirst(names: readonly string[]): typeof BaseSequencer {
  const rankOf = ({ moduleId }: TestSpecification) => {
    const at = names.indexOf(path.basename(moduleId, '.test.ts'));
    return at < 0 ? names.length : at;
  };
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const usual = await super.sort(files);
      return usual.toSorted((a, b) => rankOf(a) - rankOf(b));
    }
  };
}
