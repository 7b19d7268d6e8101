const focusable = 'input, select, textarea, button';

/** Shows a field and moves the focus to it. */
function focusIn(found: Element | null | undefined): void {
  const field = found?.matches(focusable) ? found : found?.querySelector(focusable);
  if (!(field instanceof HTMLElement)) return;
  field.closest('details')?.setAttribute('open', '');
  field.focus({ preventScroll: true });
  // At the edge of the window, the head of the page would cover the field.
  field.scrollIntoView({ block: 'center' });
}

/** Moves the focus to the first field whose text cannot be sent. */
export function focusFault(form: EventTarget | null): void {
  if (form instanceof Element) focusIn(form.querySelector('[data-bad]'));
}

/** Fields that show the setting of another name, too. */
const otherNames: Readonly<Record<string, string>> = { FrequencySeconds: 'Frequency', Retries: 'Attempts' };

/** Moves the focus to a field by its name in the API, or to the first one of `Options`. Returns whether it is shown. */
export function focusField(form: Element | null, name: string): boolean {
  const escaped = CSS.escape(otherNames[name] ?? name);
  const field = form?.querySelector(`[data-field="${escaped}"], [data-field^="${escaped}."]`);
  focusIn(field);
  return field !== null && field !== undefined;
}
