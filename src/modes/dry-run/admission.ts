/** Webhooks and admission policies of the cluster, which nobody asks here: those that would have seen a write are named. */

export interface AdmissionNote {
  /** One sentence. */
  readonly text: string;
}
