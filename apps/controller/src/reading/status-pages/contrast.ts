/** The least contrast of a text and its background (WCAG 2.2, criterion 1.4.3, level AA). */
export const minContrast = 4.5;

/** The contrast of two colours, each as #rrggbb: 1 to 21 (WCAG 2.2, "contrast ratio"). Pure. */
export function contrastOf(colour: string, background: string): number {
  const [dark = 0, light = 0] = [luminanceOf(colour), luminanceOf(background)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** WCAG 2.2, "relative luminance". */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = partsOf(colour).map((part) =>
    part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function partsOf(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

/** The colour that is like this one and has the least contrast with the background or more. Pure. */
export function readableOn(colour: string, background: string): string {
  const target = luminanceOf(background) > 0.2 ? 0 : 255;
  for (let step = 0; step < steps; step += 1) {
    const mixed = partsOf(colour).map((part) => Math.round(part + ((target - part) * step) / steps));
    const found = `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
    if (contrastOf(found, background) >= minContrast) return found;
  }
  return target === 0 ? '#000000' : '#ffffff';
}

const steps = 50;
