/** An occurrence, as the axis and its list show it. */
export interface AxisMark {
  readonly key: string;
  readonly kind: 'Change' | 'Deployment' | 'Note' | 'Maintenance' | 'Restart' | 'Error';
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The end of maintenance; null: a moment. */
  readonly end: number | null;
}

/** Marks that are drawn as one, because they are near each other. */
export interface MarkGroup<Mark extends AxisMark> {
  readonly x: number;
  readonly marks: readonly Mark[];
}

const nearPx = 12;

/** Marks by their x: those that are less than 12 px after the first of their group join it. Pure. */
export function groupMarks<Mark extends AxisMark>(
  marks: readonly Mark[],
  x: (ms: number) => number,
): readonly MarkGroup<Mark>[] {
  const groups: { x: number; marks: Mark[] }[] = [];
  for (const mark of marks.toSorted((a, b) => a.at - b.at)) {
    const last = groups.at(-1);
    const own = x(mark.at);
    if (last !== undefined && own - last.x < nearPx) last.marks.push(mark);
    else groups.push({ x: own, marks: [mark] });
  }
  return groups;
}

/** The nearest mark before or after a moment; undefined: there is none. Pure. */
export function nextMark<Mark extends AxisMark>(
  marks: readonly Mark[],
  at: number,
  direction: -1 | 1,
): Mark | undefined {
  const beyond = marks.filter((mark) => (mark.at - at) * direction > 0);
  return beyond.sort((a, b) => (a.at - b.at) * direction)[0];
}
