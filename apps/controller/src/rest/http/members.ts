import { boundedText } from '@vantage/kernel';
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

/** A query parameter: one of these values, or several joined by commas. */
export function someOf<const T extends string>(values: readonly T[], description: string) {
  const isOne = (text: string): text is T => values.some((each) => each === text);
  return boundedText(1_000, 1)
    .transform((text, context): readonly T[] => {
      const members = text.split(',');
      const wrong = members.find((member) => !isOne(member));
      if (wrong !== undefined)
        context.addIssue({
          code: 'custom',
          message: `has the value "${wrong.slice(0, 100)}", but accepted is one or several of ${values.join(', ')}, joined by commas`,
        });
      return members.filter(isOne);
    })
    .optional()
    .meta({
      description: `${description} One of ${values.join(', ')}, or several joined by commas.`,
      override: { type: 'string', maxLength: 1_000 },
      example: values[0],
    });
}
