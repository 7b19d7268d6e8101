import type { Json } from '@vantage/domain';
import type { Notice } from './channel.ts';

/** A fact as one line of text; undefined: it is empty. */
export function factText(value: Json | undefined): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (Array.isArray(value)) return plain(value.map((member) => factText(member) ?? '').join(', '));
  // A reference to a device, such as its master.
  if (typeof value === 'object' && 'ShortName' in value) return factText(value.ShortName);
  if (typeof value === 'object') return plain(JSON.stringify(value));
  return plain(String(value));
}

/** One line without control characters and characters that change the direction of text. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 1_000);
}

/** The text, cut to at most `maxLength` UTF-16 units; a cut text ends with an ellipsis. */
export function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`;
}

/**
 * The name of the subject of a notice; undefined: its facts have none. One line of text without control
 * characters.
 */
export function nameIn(data: Notice['data']): string | undefined {
  const name = [data['ShortName'], data['Name'], data['Contact'], data['Agent'], data['Location']].find(
    (member) => typeof member === 'string' && member !== '',
  );
  return typeof name === 'string' ? plain(name) : undefined;
}

export function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
