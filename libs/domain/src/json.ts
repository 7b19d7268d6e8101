/** The value of a JSON text; undefined for another text. As `parseJson` of the kernel, on which no fact builds. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
