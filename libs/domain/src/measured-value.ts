/** A value that a check measured, as the API shows it. `Unit` is '' for a plain number. */
export interface MeasuredValue {
  readonly Label: string;
  readonly Value: number;
  readonly Unit: string;
}

/** The maximum number of values of a check. */
export const maxValues = 200;
