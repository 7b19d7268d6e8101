export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** `Array.isArray` does not narrow to a readonly list. */
export function isJsonList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The value of a JSON text; undefined for another text. Like the kernel's, which this package does not import. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
