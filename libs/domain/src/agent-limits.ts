import { kibibyte, mebibyte, secondUs } from './units.ts';

/** Limits by which controller and agents go, and which no message between them says. */

/** Either side ends a stream when it heard nothing for so long. The controller answers heartbeats every 10 s. */
export const silenceMs = 25_000;

/** The most bytes of a message after the Hello. */
export const messageBytes = 4 * mebibyte;

/** The most records of a batch of results. */
export const batchRecords = 500;

/** The most bytes of the diagnostics of a check, as JSON. */
export const diagnosticsBytes = 64 * kibibyte;

/** The longest Timeout of a device, seconds. */
export const longestTimeoutS = 120;

/** A device that changed less than this ago is checked at once, microseconds. */
export const freshDeviceUs = 60 * secondUs;

/** How long the token of an invitation is good, minutes. */
export const invitationMinutes = 15;
