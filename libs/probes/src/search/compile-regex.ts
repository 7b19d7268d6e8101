/** The fault of a regular expression (JavaScript, without flag `u`). It is compiled, but never run. */
export function regexProblem(pattern: string): string | undefined {
  try {
    new RegExp(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'no regular expression';
  }
}
