import { useEffect, useRef, useState } from 'preact/hooks';
import { Field } from '../../parts/field.tsx';
import type { StatusPage } from '../../store/status-pages.ts';
import { statusPageTexts } from '../../texts/status-pages.ts';
import css from './status-pages.module.css';

const say = statusPageTexts.branding;

/** The branding of a page, as its form has it. */
export interface BrandingDraft {
  /** A data URL; null: none. */
  readonly logo: string | null;
  readonly accent: StatusPage['Accent'];
  readonly footer: string;
}

/** Fields of the API that the form of the branding has. */
export const brandingShown = ['Logo', 'Accent.Light', 'Accent.Dark', 'Footer'];

/** Colours to begin with: those of Vantage. */
const firstAccent = { Light: '#3152cf', Dark: '#8aa2ff' } as const;

export function brandingOf(page: StatusPage | undefined): BrandingDraft {
  return { logo: page?.Logo ?? null, accent: page?.Accent ?? null, footer: page?.Footer ?? '' };
}

/** The fields of the branding that were changed. */
export function brandingBody(draft: BrandingDraft, before: BrandingDraft) {
  const { logo, accent, footer } = draft;
  return {
    ...(logo === before.logo ? {} : { Logo: logo }),
    ...(accent === before.accent ? {} : { Accent: accent }),
    ...(footer === before.footer ? {} : { Footer: footer.trim() === '' ? null : footer.trim() }),
  };
}

interface Props {
  readonly draft: BrandingDraft;
  readonly set: (change: Partial<BrandingDraft>) => void;
  readonly of: (field: string) => string | undefined;
}

function Preview({ logo }: { readonly logo: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (canvas.current !== null) void drawLogo(canvas.current, logo);
  }, [logo]);
  return <canvas ref={canvas} class={css['logo']} role="img" aria-label={say.logoShown} />;
}

function LogoField({ draft, set, of }: Props) {
  const [isUnread, setUnread] = useState(false);
  const read = async (file: File | undefined) => {
    const logo = file && (await readLogoFile(file));
    setUnread(file !== undefined && logo === undefined);
    if (logo !== undefined) set({ logo });
  };
  return (
    <div>
      <Field name={say.logo} problem={isUnread ? say.logoUnread : of('Logo')} hint={say.logoHint}>
        {(id, hintId) => (
          <input
            id={id}
            type="file"
            accept="image/png,image/jpeg,image/webp,image/gif"
            class={css['file']}
            aria-describedby={hintId}
            onChange={({ currentTarget }) => void read(currentTarget.files?.[0])}
          />
        )}
      </Field>
      {draft.logo !== null && (
        <div class={css['logoRow']}>
          <Preview logo={draft.logo} />
          <button type="button" class="button" onClick={() => set({ logo: null })}>
            {say.logoRemove}
          </button>
        </div>
      )}
    </div>
  );
}

function AccentFields({ draft: { accent }, set, of }: Props) {
  return (
    <div class={css['accent']}>
      <label>
        <input
          type="checkbox"
          checked={accent !== null}
          onChange={() => set({ accent: accent === null ? firstAccent : null })}
        />{' '}
        {say.accent}
      </label>
      {accent !== null && (
        <div class={css['pair']}>
          {(['Light', 'Dark'] as const).map((theme) => (
            <Field key={theme} name={say.on[theme]} problem={of(`Accent.${theme}`)} hint={say.accentHint}>
              {(id, hintId) => (
                <input
                  id={id}
                  type="color"
                  class={css['colour']}
                  value={accent[theme]}
                  aria-describedby={hintId}
                  onInput={({ currentTarget }) =>
                    set({ accent: { ...accent, [theme]: currentTarget.value } })
                  }
                />
              )}
            </Field>
          ))}
        </div>
      )}
    </div>
  );
}

/** Logo, colours and footer of a page. */
export function BrandingFields(props: Props) {
  const { draft, set, of } = props;
  return (
    <fieldset class={css['shows']}>
      <legend class="label">{say.title}</legend>
      <LogoField {...props} />
      <AccentFields {...props} />
      <Field name={say.footer} problem={of('Footer')} hint={say.footerHint}>
        {(id, hintId) => (
          <textarea
            id={id}
            rows={2}
            maxLength={1_000}
            class={css['area']}
            value={draft.footer}
            aria-describedby={hintId}
            onInput={({ currentTarget }) => set({ footer: currentTarget.value })}
          />
        )}
      </Field>
    </fieldset>
  );
}

/** A logo is stored so great at most, in pixels; status pages show it 40 high. */
const widest = 1_000;
const heights = [120, 80, 40] as const;
/** The API takes so many bytes; a data URL has four letters for three of them. */
const longest = Math.floor(16_384 / 3) * 4;

/**
 * The image of a file as a data URL that the API takes: PNG, or JPEG where that is too long. Undefined: the browser
 * cannot read the file as an image of pixels.
 */
async function readLogoFile(file: Blob): Promise<string | undefined> {
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
async function drawLogo(canvas: HTMLCanvasElement, url: string): Promise<void> {
  const bytes = Uint8Array.from(atob(url.slice(url.indexOf(',') + 1)), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes])).catch(() => undefined);
  if (image !== undefined) drawAt(canvas, image, 1);
}

function drawAt(canvas: HTMLCanvasElement, image: ImageBitmap, scale: number): void {
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
}
