import { LineField } from '../../parts/line-field.tsx';
import type { AnchorDraft } from './location-draft.ts';
import { locationTexts as say } from './location-texts.ts';
import css from './locations.module.css';

const emptyAnchor: AnchorDraft = { name: '', target: '', networks: '' };

/** The anchors of a Location, to be changed. */
export function AnchorFields({
  anchors,
  problemOf,
  onChange,
}: {
  readonly anchors: readonly AnchorDraft[];
  readonly problemOf: (field: string) => string | undefined;
  readonly onChange: (anchors: readonly AnchorDraft[]) => void;
}) {
  const set = (index: number, change: Partial<AnchorDraft>) =>
    onChange(anchors.map((anchor, at) => (at === index ? { ...anchor, ...change } : anchor)));
  return (
    <fieldset>
      <legend class="label">{say.anchors}</legend>
      <p class="hint">{say.anchorsHint}</p>
      {anchors.map((anchor, index) => (
        <div key={index} class={css['anchor']}>
          <LineField
            name={`${say.anchorName} ${index + 1}`}
            value={anchor.name}
            problem={problemOf(`Anchors.${index}.Name`)}
            onInput={(name) => set(index, { name })}
          />
          <LineField
            name={say.anchorTarget}
            value={anchor.target}
            problem={problemOf(`Anchors.${index}.Target`)}
            onInput={(target) => set(index, { target })}
          />
          <LineField
            name={say.anchorNetworks}
            value={anchor.networks}
            problem={problemOf(`Anchors.${index}.Networks`)}
            hint={say.anchorNetworksHint}
            onInput={(networks) => set(index, { networks })}
          />
          <button
            type="button"
            class="button"
            onClick={() => onChange(anchors.filter((_, at) => at !== index))}
          >
            {say.removeAnchor}
            <span class="hidden"> {`${say.anchorName} ${index + 1}`}</span>
          </button>
        </div>
      ))}
      <button type="button" class="button" onClick={() => onChange([...anchors, emptyAnchor])}>
        {say.addAnchor}
      </button>
    </fieldset>
  );
}
