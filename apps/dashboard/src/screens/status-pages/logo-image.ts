/** The maximum width of a stored logo, and the heights that are tried, in pixels. Status pages show it 40 high. */
const maxWidth = 1_000;
const heights = [120, 80, 40] as const;
/** The API accepts 16 KiB. A data URL has four letters for three bytes. */
const maxLength = Math.floor(16_384 / 3) * 4;

/**
 * The image of a file as a data URL that the API accepts: PNG, or JPEG if that is too long. Undefined: the browser
 * cannot read the file as an image, or it is too long in any format.
 */
export async function readLogoFile(file: Blob): Promise<string | undefined> {
  const image = await createImageBitmap(file).catch(() => undefined);
  if (image === undefined) return undefined;
  for (const type of ['image/png', 'image/jpeg'])
    for (const height of heights) {
      const scale = Math.min(1, height / image.height, maxWidth / image.width);
      const canvas = document.createElement('canvas');
      drawAt(canvas, image, scale);
      const url = canvas.toDataURL(type, 0.85);
      if (url.length <= maxLength) return url;
    }
  return undefined;
}

/** Draws the image of a data URL on a canvas, because the page's policy forbids images from data URLs. */
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
