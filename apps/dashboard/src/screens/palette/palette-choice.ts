import type { IconName } from '../../parts/icon.tsx';
import type { paletteTexts } from './palette-texts.ts';

/** A line of the palette. */
export interface PaletteChoice {
  readonly key: string;
  readonly group: keyof (typeof paletteTexts)['groups'];
  readonly words: string;
  readonly more?: string | undefined;
  readonly icon: IconName;
  /** The key that does the same on a row. */
  readonly shortcut?: string | undefined;
  /** The device that this line stands for. */
  readonly deviceId?: string | undefined;
  readonly run: () => void;
}
