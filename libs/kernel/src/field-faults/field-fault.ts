/**
 * One fault in a value from outside. `field` is dotted (`Options.Headers.Cookie`). `message` goes on the sentence that
 * begins with the field's name: `must be a whole number from 1 to 120, but the text "30" was sent`.
 */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
}
