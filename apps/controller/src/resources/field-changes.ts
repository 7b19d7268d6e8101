/**
 * A field of a thing before and after a change, by its name in the REST API and as the API shows it: a secret is its
 * mask.
 */
export interface FieldChange {
  readonly field: string;
  /** null: the field had no value, or the thing did not exist. */
  readonly old: unknown;
  /** null: the field has no value, or the thing is deleted. */
  readonly new: unknown;
}

/** Values of fields by their names in the REST API, secrets masked. */
export type ShownFields = Readonly<Record<string, unknown>>;

/** The values without those that are null. Pure. */
export function present(values: ShownFields): ShownFields {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

/** The fields of a new thing. Pure. */
export function createdFields(values: ShownFields): readonly FieldChange[] {
  return Object.entries(values).map(([field, value]) => ({ field, old: null, new: value ?? null }));
}

/** The fields of a deleted thing that identify it for people. Pure. */
export function deletedFields(values: ShownFields): readonly FieldChange[] {
  return Object.entries(values).map(([field, value]) => ({ field, old: value ?? null, new: null }));
}

/** These fields, which differ between two states of a thing. Pure. */
export function changedFields(
  fields: readonly string[],
  old: ShownFields,
  next: ShownFields,
): readonly FieldChange[] {
  return fields.map((field) => ({ field, old: old[field] ?? null, new: next[field] ?? null }));
}

/** Answers show this text instead of a secret. */
export const mask = '***';

/** A field with secret values: the record says only that it changed. Pure. */
export function secretField(field: string, hadValue: boolean): FieldChange {
  return { field, old: hadValue ? mask : null, new: mask };
}
