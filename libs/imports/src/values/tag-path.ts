/** The path of a tag: parts are trimmed, empty ones are left out, and a `/` inside a part becomes `-`. */
export function tagPath(...parts: readonly (string | undefined)[]): string {
  return parts.flatMap((part) => part?.trim().replaceAll('/', '-') || []).join('/');
}
