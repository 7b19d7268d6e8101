import type { Json } from '@vantage/domain';
import type { Notice } from './channel.ts';

/** A fact as one line of text; undefined: it says nothing. */
export function factText(value: Json | undefined): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (Array.isArray(value)) return plain(value.map((each) => factText(each) ?? '').join(', '));
  // A reference to a device, such as its master.
  if (typeof value === 'object' && 'ShortName' in value) return factText(value.ShortName);
  if (typeof value === 'object') return plain(JSON.stringify(value));
  return plain(String(value));
}

/** One line without control characters and marks that change the direction of text. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 1_000);
}

/** The text with at most `most` UTF-16 units; one that is cut ends with an ellipsis. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

/**
 * The subject of a notice, as people call it; undefined: its facts name nothing. One line of text without control
 * characters.
 */
export function nameIn(data: Notice['data']): string | undefined {
  const name = [data['ShortName'], data['Name'], data['Contact'], data['Agent'], data['Location']].find(
    (each) => typeof each === 'string' && each !== '',
  );
  return typeof name === 'string' ? plain(name) : undefined;
}

/** The text with a capital letter first. */
export function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
