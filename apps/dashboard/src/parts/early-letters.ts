/** Ends the present collection, and returns its letters. */
let end: (() => string) | undefined;

/**
 * Collects the letters that are typed until `takeLetters`: they are for a field that is not there yet, and no keys of
 * the screen behind it.
 */
export function collectLetters(): void {
  if (end !== undefined) return;
  let text = '';
  const collect = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1) return;
    text += event.key;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener('keydown', collect, { capture: true });
  end = () => {
    removeEventListener('keydown', collect, { capture: true });
    return text;
  };
}

/** The collected letters. The next ones are keys again. */
export function takeLetters(): string {
  const text = end?.() ?? '';
  end = undefined;
  return text;
}
