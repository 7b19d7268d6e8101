/**
 * Says why a text is no regular expression (JavaScript, flag `u` not set); undefined when it is one. It is compiled,
 * never run.
 */
export function regexProblem(pattern: string): string | undefined {
  try {
    new RegExp(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'no regular expression';
  }
}
