import { writesPastTheDoor } from './catalog-door.ts';
import { scatteredChannels } from './channels.ts';
import { importCycles } from './cycles.ts';
import { badFile } from './file-rules.ts';
import { misplaced } from './layout.ts';
import { sharedProbeLibraries } from './probe-libraries.ts';
import { isTestFile, type Source } from './sources.ts';
import { spreadLiterals } from './spread-literals.ts';
import { tableOwners } from './table-owners.ts';
import { entityTables, foreignWrites } from './table-writers.ts';
import { untrackedCollections } from './tracked-state.ts';
import { hurriedWaits } from './waits.ts';

/** One sentence for each rule that the sources break. `entries` has the file behind each name of a workspace. */
export function brokenRules(sources: readonly Source[], entries: ReadonlyMap<string, string>): string[] {
  const entitySource = sources.filter(({ file }) => file === 'libs/storage/src/schema/entities.ts');
  const programs = sources.filter(({ file }) => !isTestFile(file));
  const entities = new Map(entitySource.flatMap((source) => [...entityTables(source)]));
  return [
    ...sources.flatMap((source) => [
      ...badFile(source),
      ...misplaced(source),
      ...spreadLiterals(source),
      ...hurriedWaits(source),
      ...foreignWrites(source, tableOwners, entities),
      ...writesPastTheDoor(source, entities),
    ]),
    ...programs.flatMap(untrackedCollections),
    ...importCycles(sources, entries),
    ...scatteredChannels(sources),
    ...sharedProbeLibraries(sources),
  ];
}
