import { alertsTexts } from './alerts.ts';
import { deviceTexts } from './device.ts';
import { devicesTexts } from './devices.ts';
import { editTexts } from './edit.ts';
import { frameTexts } from './frame.ts';
import { locationsTexts } from './locations.ts';
import { overviewTexts } from './overview.ts';
import { paletteTexts } from './palette.ts';
import { signInTexts } from './sign-in.ts';

/**
 * The texts that the first load brings. Those of a large screen that is loaded later are a file beside this one;
 * together they are every text of the page.
 */
export const texts = {
  ...frameTexts,
  ...signInTexts,
  ...overviewTexts,
  ...devicesTexts,
  ...deviceTexts,
  ...editTexts,
  ...alertsTexts,
  ...locationsTexts,
  ...paletteTexts,
} as const;
