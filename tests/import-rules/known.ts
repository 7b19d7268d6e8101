/**
 * What stays of a sentence when offenders move: a function by its name, a table or channel by the folder of the controller that uses it.
 * All other sentences stay as they are.
 */
export function offenceOf(sentence: string): string {
  const size = /: the (?:function|factory) (\S+) has \d+ lines/.exec(sentence);
  if (size !== null) return `size ${sentence.includes('(anonymous)') ? sentence.split(':')[0] : size[1]}`;
  const use = /^apps\/(?:controller\/src\/)?([^/]+)\/\S* (writes the table|uses) ([a-z_]+), /.exec(sentence);
  return use === null ? sentence : `${use[1]} ${use[2]} ${use[3]}`;
}
