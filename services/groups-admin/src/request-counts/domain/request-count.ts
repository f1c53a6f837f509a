/** What a gateway has counted under one name. */
export interface RequestCount {
  readonly key: Buffer;
  /** Less than 0 where some were taken back. */
  readonly added: number;
  /** Length of the window. */
  readonly seconds: number;
}

/** What all gateways have counted in a window. */
export interface RequestSum {
  readonly count: number;
  readonly endsInMs: number;
}
