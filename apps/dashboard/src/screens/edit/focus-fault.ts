/** Puts the focus into the first field that is wrong. */
export function focusFault(form: EventTarget | null): void {
  const field = form instanceof Element ? form.querySelector<HTMLElement>('[aria-invalid="true"]') : null;
  field?.closest('details')?.setAttribute('open', '');
  field?.focus({ preventScroll: true });
  // The head of the page covers what the browser scrolls to its edge.
  field?.scrollIntoView({ block: 'center' });
}
