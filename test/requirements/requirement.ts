// A requirement: a promise of the product in a sentence, and the document that asks for it.

export interface Requirement {
  readonly says: string;
  readonly source: string;
}

export type Requirements = Readonly<Record<string, Requirement>>;
