/**
 * The maximum time until a requested check is answered, as a multiple of the device's Timeout: another check of the
 * device may be running when the request arrives, and checks of a device never overlap.
 */
export const timeoutsUntilAnswer = 2;
