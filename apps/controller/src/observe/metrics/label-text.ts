/** A label's value: backslash, quote and line break are escaped (Prometheus, "Text format details"). */
export function labelText(text: string): string {
  return /[\\"\n]/.test(text)
    ? text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    : text;
}
