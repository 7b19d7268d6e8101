/** The numbers of days before the end of a certificate or domain at which accounts are warned that have set none. */
export const standardExpiryDays: readonly number[] = [30, 14, 7, 3, 1];

export const maxExpiryDay = 365;
export const maxExpiryDays = 10;

/** Numbers of days as the database stores them. */
export function expiryDaysText(days: readonly number[]): string {
  return days.join(',');
}

/** The numbers of days in a stored text. */
export function readExpiryDays(text: string): readonly number[] {
  return text === '' ? [] : text.split(',').map(Number);
}
