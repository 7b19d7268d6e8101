/** The part of the address that the pattern of a screen captures. */
export interface ScreenProps {
  readonly id: string;
}
