import { kibibyte, mebibyte, secondUs } from './units.ts';

// Limits that controller and agents share, but do not send to each other.

/** Either side ends a stream that was silent for this time. The controller answers heartbeats every 10 s. */
export const silenceMs = 25_000;

/** The maximum size of a message after the Hello. */
export const messageBytes = 4 * mebibyte;

/** The maximum number of records in a batch of results. */
export const batchRecords = 500;

/** The maximum size of the diagnostics of a check, as JSON. */
export const diagnosticsBytes = 64 * kibibyte;

/** The maximum Timeout of a device. */
export const maxTimeoutS = 120;

/** A device that changed within this time is checked at once. */
export const freshDeviceUs = 60 * secondUs;

/** The lifetime of the token of an invitation. */
export const invitationMinutes = 15;
