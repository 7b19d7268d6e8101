import { effect, signal } from '@preact/signals';

/** Light, dark, or the same as the system. */
export type Theme = 'system' | 'light' | 'dark';

const storageKey = 'vantage-theme';
export const isTheme = (text: string | null): text is Theme =>
  text === 'system' || text === 'light' || text === 'dark';
const stored = localStorage.getItem(storageKey);

export const chosenTheme = signal<Theme>(isTheme(stored) ? stored : 'system');

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme);
  chosenTheme.value = theme;
}

/** Shows the chosen theme from now on. */
export function showTheme(): void {
  effect(() => {
    if (chosenTheme.value === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = chosenTheme.value;
  });
}
