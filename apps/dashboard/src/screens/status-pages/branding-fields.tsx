import { useEffect, useRef, useState } from 'preact/hooks';
import { FormField } from '../../parts/form-field.tsx';
import type { StatusPage } from '../../store/status-pages.ts';
import { drawLogo, readLogoFile } from './logo-image.ts';
import { statusPageTexts } from './status-page-texts.ts';
import css from './status-pages.module.css';

const say = statusPageTexts.branding;

/** The form of a page's branding. */
export interface BrandingDraft {
  /** A data URL; null: none. */
  readonly logo: string | null;
  readonly accent: StatusPage['Accent'];
  readonly footer: string;
}

/** The names of the fields of the branding in the API. */
export const brandingShown = ['Logo', 'Accent.Light', 'Accent.Dark', 'Footer'];

/** The initial colours are those of Vantage. */
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

interface BrandingProps {
  readonly draft: BrandingDraft;
  readonly set: (change: Partial<BrandingDraft>) => void;
  readonly problemOf: (field: string) => string | undefined;
}

function LogoPreview({ logo }: { readonly logo: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (canvas.current !== null) void drawLogo(canvas.current, logo);
  }, [logo]);
  return <canvas ref={canvas} class={css['logo']} role="img" aria-label={say.logoShown} />;
}

function LogoField({ draft, set, problemOf }: BrandingProps) {
  const [isUnread, setUnread] = useState(false);
  const read = async (file: File | undefined) => {
    const logo = file && (await readLogoFile(file));
    setUnread(file !== undefined && logo === undefined);
    if (logo !== undefined) set({ logo });
  };
  return (
    <div>
      <FormField name={say.logo} problem={isUnread ? say.logoUnread : problemOf('Logo')} hint={say.logoHint}>
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
      </FormField>
      {draft.logo !== null && (
        <div class={css['logoRow']}>
          <LogoPreview logo={draft.logo} />
          <button type="button" class="button" onClick={() => set({ logo: null })}>
            {say.logoRemove}
          </button>
        </div>
      )}
    </div>
  );
}

function AccentFields({ draft: { accent }, set, problemOf }: BrandingProps) {
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
            <FormField
              key={theme}
              name={say.colourOn[theme]}
              problem={problemOf(`Accent.${theme}`)}
              hint={say.accentHint}
            >
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
            </FormField>
          ))}
        </div>
      )}
    </div>
  );
}

/** The logo, colours and footer of a page. */
export function BrandingFields(props: BrandingProps) {
  const { draft, set, problemOf } = props;
  return (
    <fieldset class={css['shows']}>
      <legend class="label">{say.title}</legend>
      <LogoField {...props} />
      <AccentFields {...props} />
      <FormField name={say.footer} problem={problemOf('Footer')} hint={say.footerHint}>
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
      </FormField>
    </fieldset>
  );
}
