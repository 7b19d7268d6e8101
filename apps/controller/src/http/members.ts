import { invalid } from './problem.ts';

/**
 * Reads a list that is joined by commas. `accepted` describes its members to people. Throws a Problem (1004) that names
 * the member that is none.
 */
export function readMembers<T>(
  field: string,
  text: string,
  {
    read,
    accepted,
    example,
  }: {
    readonly read: (member: string) => T | undefined;
    readonly accepted: string;
    readonly example: string;
  },
): readonly T[] {
  return text.split(',').map((member) => {
    const value = read(member);
    if (value === undefined)
      throw invalid([
        {
          field,
          message: `has the value "${member.slice(0, 100)}", but accepted is ${accepted}, joined by commas; for example ${field}=${example}`,
        },
      ]);
    return value;
  });
}
