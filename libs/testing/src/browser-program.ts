import { existsSync } from 'node:fs';

/**
 * Debian's Chromium without windows, which spends less than half of the processor's time of the whole one; where it is
 * missing, the whole one. Undefined: neither is here.
 */
export const browserProgram = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(existsSync);
