/** Choices that some formats have. */
export interface FormatChoices {
  /** `prometheus`: the file of the blackbox_exporter's modules. */
  readonly modules?: string | undefined;
  /** `prometheus`: the module of targets that name none. */
  readonly module?: string | undefined;
}
