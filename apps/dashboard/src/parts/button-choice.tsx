import css from './button-choice.module.css';

/** Buttons of which one is pressed. */
export function ButtonChoice<Name extends string>({
  names,
  words,
  chosen,
  onChoose,
}: {
  readonly names: readonly Name[];
  readonly words: Readonly<Partial<Record<Name, string>>>;
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}) {
  return (
    <span class={css['choice']}>
      {names.map((name) => (
        <button key={name} type="button" aria-pressed={name === chosen} onClick={() => onChoose(name)}>
          {words[name]}
        </button>
      ))}
    </span>
  );
}
