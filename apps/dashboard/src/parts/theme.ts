import { effect, signal } from '@preact/signals';

/** Light, dark, or as the system has it. */
export type Theme = 'system' | 'light' | 'dark';

const place = 'vantage-theme';
/** Whether a text names a theme. */
export const isTheme = (text: string | null): text is Theme =>
  text === 'system' || text === 'light' || text === 'dark';
const kept = localStorage.getItem(place);

export const chosenTheme = signal<Theme>(isTheme(kept) ? kept : 'system');

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(place, theme);
  chosenTheme.value = theme;
}

/** Shows the chosen theme from now on. */
export function showTheme(): void {
  effect(() => {
    if (chosenTheme.value === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = chosenTheme.value;
  });
}
