/** A pattern with `*` (any text) as a regular expression for the whole text. */
export function patternOf(glob: string): string {
  return glob.split('*').map(literally).join('[\\s\\S]*');
}

/** A text as a regular expression that matches it alone. */
function literally(text: string): string {
  return text.replaceAll(/[.+?^${}()|[\]\\/-]/g, (sign) =>
    sign === '/' || sign === '-' ? sign : `\\${sign}`,
  );
}
