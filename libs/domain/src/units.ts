/** Microseconds of a second, a minute, an hour and a day; times of results and spans are microseconds since 1970. */
export const secondUs = 1_000_000;
export const minuteUs = 60 * secondUs;
export const hourUs = 60 * minuteUs;
export const dayUs = 24 * hourUs;

/** Milliseconds of an hour and a day, for timers and certificates. */
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** Bytes. */
export const kibibyte = 1024;
export const mebibyte = 1024 * kibibyte;
