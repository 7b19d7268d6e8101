/**
 * The part of a sentence that stays when offenders move or grow: a function by its file and name, a table or channel by
 * the folder of the controller that uses it. All other sentences stay as they are.
 */
function offenceOf(sentence: string): string {
  const size = /^(\S+): the (?:function|factory) (\S+) has \d+ statements/.exec(sentence);
  if (size !== null) return `size ${size[1]} ${size[2]}`;
  const use = /^apps\/(?:controller\/src\/)?([^/]+)\/\S* (writes the table|uses) ([a-z_]+), /.exec(sentence);
  return use === null ? sentence : `${use[1]} ${use[2]} ${use[3]}`;
}

/** The offences that the list does not know, and the entries of the list that no sentence needs any more. */
export function compareWithKnown(
  broken: readonly string[],
  known: ReadonlySet<string>,
): { readonly unknown: string[]; readonly needless: string[] } {
  const offences = new Set(broken.map(offenceOf));
  return {
    unknown: broken.filter((sentence) => !known.has(offenceOf(sentence))),
    needless: [...known].filter((entry) => !offences.has(entry)),
  };
}
