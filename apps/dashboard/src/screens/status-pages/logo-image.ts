/** A logo is stored so great at most, in pixels; status pages show it 40 high. */
const widest = 1_000;
const heights = [120, 80, 40] as const;
/** The API takes so many bytes; a data URL has four letters for three of them. */
const longest = Math.floor(16_384 / 3) * 4;

/**
 * The image of a file as a data URL that the API takes: PNG, or JPEG where that is too long. Undefined: the browser
 * cannot read the file as an image of pixels.
 */
export async function readLogoFile(file: Blob): Promise<string | undefined> {
  const image = await createImageBitmap(file).catch(() => undefined);
  if (image === undefined) return undefined;
  for (const type of ['image/png', 'image/jpeg'])
    for (const height of heights) {
      const scale = Math.min(1, height / image.height, widest / image.width);
      const canvas = document.createElement('canvas');
      drawAt(canvas, image, scale);
      const url = canvas.toDataURL(type, 0.85);
      if (url.length <= longest) return url;
    }
  return undefined;
}

/** Draws the image of a data URL on a canvas. The page's policy loads no image from a text. */
export async function drawLogo(canvas: HTMLCanvasElement, url: string): Promise<void> {
  const bytes = Uint8Array.from(atob(url.slice(url.indexOf(',') + 1)), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes])).catch(() => undefined);
  if (image !== undefined) drawAt(canvas, image, 1);
}

function drawAt(canvas: HTMLCanvasElement, image: ImageBitmap, scale: number): void {
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
}
