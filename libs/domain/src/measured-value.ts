/** A value that a check measured, as the API shows it. `Unit` is '' for a plain number. */
export interface MeasuredValue {
  readonly Label: string;
  readonly Value: number;
  readonly Unit: string;
}

/** The maximum number of values of a check. */
export const maxValues = 200;
/** The maximum length of a Label, UTF-16 units. */
export const maxLabelLength = 100;
/** The maximum length of a Unit, UTF-16 units. */
export const maxUnitLength = 20;

/** The largest amount of a value. The sum of all values of many years stays finite. */
export const maxAmount = 1e300;

/** The fault of a value that cannot be stored; undefined: it can. Pure. */
export function valueFault({ Label, Value, Unit }: MeasuredValue): string | undefined {
  if (!isLine(Label) || Label.length > maxLabelLength)
    return `the label of a value is one line of 1 to ${maxLabelLength} characters`;
  if (!(Math.abs(Value) <= maxAmount)) return `a value is a finite number, at most ${maxAmount}`;
  if (Unit !== '' && (!isLine(Unit) || Unit.length > maxUnitLength))
    return `the unit of a value is one line of at most ${maxUnitLength} characters`;
  return undefined;
}

/** A text with a visible character, in one line, without blanks at its ends. */
function isLine(text: string): boolean {
  return text !== '' && text === text.trim() && text.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(text);
}
