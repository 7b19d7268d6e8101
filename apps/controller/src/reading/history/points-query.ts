import { boundedText } from '@vantage/kernel';

/** The maximum of `Points`. */
const maxPoints = 400;

/** The query parameter `Points`, a number of buckets. */
export function pointsQuery(description: string) {
  return boundedText(3)
    .regex(/^\d+$/, { error: 'must be a number of buckets in digits, for example Points=400' })
    .transform(Number)
    .refine((points) => points >= 1 && points <= maxPoints, { error: `must be from 1 to ${maxPoints}` })
    .optional()
    .meta({
      description,
      override: { type: 'integer', minimum: 1, maximum: maxPoints, example: 200 },
    });
}
