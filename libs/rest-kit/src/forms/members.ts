import { boundedText, nearestName } from '@vantage/kernel';
import type { z } from 'zod';

/** The serialization of a list that is joined by commas (OpenAPI 3.1, section 4.8.12.3). */
export const commaList = { style: 'form', explode: false } as const;

/**
 * A query parameter: one of these values, or several joined by commas. `kind` names them in the text of a refusal:
 * `Type: "down" is not a type of event.`
 */
export function someOf<const T extends string>(
  values: readonly T[],
  description: string,
  { kind }: { readonly kind?: { readonly field: string; readonly what: string } } = {},
) {
  const isOne = (text: string): text is T => values.some((each) => each === text);
  return boundedText(1_000)
    .transform((text, context): readonly T[] => {
      if (text === '') return []; // an empty parameter has a refusal of its own
      const members = text.split(',');
      const wrong = members.find((member) => !isOne(member));
      if (wrong !== undefined)
        context.addIssue({
          code: 'custom',
          message: kind === undefined ? memberText(wrong, values) : kindText(wrong, values, kind),
          params: { isWhole: true },
        });
      return members.filter(isOne);
    })
    .optional()
    .meta({
      description,
      param: commaList,
      override: { type: 'array', items: { type: 'string', enum: [...values] } },
      example: values.slice(0, 2),
    });
}

/** A field of a body that takes the text of such a parameter: `device.down,device.partial`. */
export function inBody<Schema extends z.ZodType>(schema: Schema, example: string): Schema {
  return schema.meta({ param: {}, override: { type: 'string', maxLength: 10_000 }, example });
}

function memberText(wrong: string, values: readonly string[]): string {
  const near = likelyOf(wrong, values);
  const hint = near === undefined ? `, but ${shown(wrong)} was sent` : `. Did you mean ${near}?`;
  return `must be one or more of ${values.join(', ')}${hint}`;
}

function kindText(
  wrong: string,
  values: readonly string[],
  { field, what }: { readonly field: string; readonly what: string },
): string {
  const near = likelyOf(wrong, values);
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  return `${field}: ${shown(wrong)} is not a ${what}.${hint} ${field}s: ${values.join(', ')}`;
}

function likelyOf(wrong: string, values: readonly string[]): string | undefined {
  return /^\d/.test(wrong) ? undefined : nearestName(wrong, values);
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
