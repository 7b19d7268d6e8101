import type { FieldFault } from '@vantage/kernel';

/** The fault of a text that PostgreSQL cannot hold: with a NUL, or half of a surrogate pair. Pure. */
export function storedTextFault(field: string, text: string): FieldFault | undefined {
  if (text.isWellFormed() && !text.includes('\0')) return undefined;
  return { field, message: 'must be Unicode text without NUL characters and halves of surrogate pairs' };
}
